/** Files as /api/files shows them. */
import { z } from 'zod'

export const FileView = z
  .object({
    id: z.string(),
    sha256: z.string(),
    bytes: z.number().int(),
    media_type: z.string().describe('By the content.'),
    filename: z.string(),
    created_at: z.string(),
    expires_at: z.string().nullable().describe('Null while a session refers to it.'),
    scan: z.literal('none').describe('No scanner is configured.'),
    problem: z.string().nullable().describe('The reason that no model is shown it.'),
  })
  .meta({ id: 'File' })

export const FilePage = z
  .object({ files: z.array(FileView), next_cursor: z.string().nullable() })
  .meta({ id: 'FilePage' })

export const DeletedFile = z.object({ id: z.string(), deleted: z.literal(true) }).meta({ id: 'DeletedFile' })
