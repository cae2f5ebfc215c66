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
  })
  .meta({ id: 'SessionContext' })
