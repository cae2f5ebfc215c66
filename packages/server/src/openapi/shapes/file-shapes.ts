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

export const VendorFile = z
  .union([
    z.object({
      id: z.string(),
      object: z.literal('file'),
      bytes: z.number().int(),
      created_at: z.number().int(),
      expires_at: z.number().int().optional(),
      filename: z.string(),
      purpose: z.string(),
      status: z.literal('processed'),
    }),
    z.object({
      id: z.string(),
      type: z.literal('file'),
      filename: z.string(),
      mime_type: z.string(),
      size_bytes: z.number().int(),
      created_at: z.string(),
      expires_at: z.string().nullable(),
      downloadable: z.literal(true),
    }),
  ])
  .meta({ id: 'VendorFile' })

export const VendorFileList = z
  .object({
    object: z.literal('list').optional(),
    data: z.array(VendorFile),
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    next_page: z.string().nullable().optional(),
  })
  .meta({ id: 'VendorFileList' })

export const VendorDeletedFile = z
  .object({
    id: z.string(),
    object: z.literal('file').optional(),
    deleted: z.boolean().optional(),
    type: z.literal('file_deleted').optional(),
  })
  .meta({ id: 'VendorDeletedFile' })
