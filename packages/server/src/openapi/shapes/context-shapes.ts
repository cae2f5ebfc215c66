/** The prompt of a session, as the API description shows it. */
import { z } from 'zod'

const count = z.number().int()

export const SessionContextView = z
  .object({
    session_id: z.string(),
    /** 0 before the prompt is recorded. */
    generation: count,
    parts: z.array(
      z.object({
        key: z.string(),
        text: z.string(),
        sha256: z.string(),
        source: z.string(),
        rules: z.array(z.string()).optional(),
        bytes: count,
        tokens: count,
      }),
    ),
    tokens: count,
    skipped: z.array(z.string()),
    warnings: z.array(z.string()),
    /** The next request records the prompt again. */
    is_stale: z.boolean(),
  })
  .meta({ id: 'SessionContext' })

export const OwnerInstructions = z.object({ instructions: z.string() }).meta({ id: 'OwnerInstructions' })

export const TrustedFolderView = z
  .object({
    path: z.string(),
    /** SHA-256 by path. */
    files: z.record(z.string(), z.string()),
    trusted_at: z.string(),
    by: z.string(),
    changed: z.array(z.string()),
    warnings: z.array(z.string()).optional(),
  })
  .meta({ id: 'TrustedFolder' })

export const TrustedFolders = z.object({ folders: z.array(TrustedFolderView) }).meta({ id: 'TrustedFolders' })
