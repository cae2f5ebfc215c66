/** Files that users send to models: /api/files */
import type { StoredFile } from '@toolwire/core'
import { parseBody } from '@toolwire/wire'
import { z } from 'zod'
import { deleteFile, filesOf, findFile, keyedFileId, newFileId, storeFile } from '../files/file-service.ts'
import { sendContent } from '../files/send-content.ts'
import { readIdempotencyKey } from '../http/idempotency-key.ts'
import { reply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { empty, json, raw } from '../openapi/operation.ts'
import { DeletedFile, FilePage, FileView } from '../openapi/shapes/file-shapes.ts'

const tag = 'Files'
const DAY_S = 86_400

const lifetime = z.coerce
  .number()
  .int()
  .min(60)
  .max(90 * DAY_S)
  .default(DAY_S)
  .describe('Time until it is deleted, unless a session refers to it.')
const FormFields = z.strictObject({ expires_in_seconds: lifetime })
const UploadQuery = z.object({
  filename: z.string().max(1000).optional().describe('For a body that is the file itself.'),
  expires_in_seconds: lifetime,
})

export const uploadRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/files',
    scope: 'write',
    id: 'uploadFile',
    tag,
    summary: 'Store a file',
    description:
      'The body is the file itself, or a form with one part `file`. Its type is read from its content. Messages name it by its id.',
    headers: ['Idempotency-Key'],
    query: UploadQuery,
    upload: FormFields,
    streamsBody: true,
    isServed: ({ files }) => files !== undefined,
    errors: ['bad_request', 'conflict', 'limit_reached', 'owner_storage_full', 'storage_full'],
    responses: { 201: json(FileView, 'The stored file.') },
    handle: async (exchange, context) => {
      const key = readIdempotencyKey(exchange)
      const query = exchange.parseQuery()
      const stored = await storeFile(exchange, context, {
        id: key === undefined ? newFileId(context) : await keyedFileId(context, key),
        read: fields => ({
          lifetimeS: (fields ? parseBody(FormFields, fields) : query).expires_in_seconds,
        }),
        filename: query.filename ?? '',
      })
      return reply(201, toFileView(stored))
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/files',
    scope: 'read',
    id: 'listUploads',
    sharedByOwner: true,
    tag,
    summary: 'List files, the newest first',
    query: z.object({
      cursor: z.string().max(200).optional(),
      limit: z.coerce.number().int().min(1).max(100).default(20),
    }),
    isServed: ({ files }) => files !== undefined,
    errors: ['bad_request', 'invalid_cursor'],
    responses: { 200: json(FilePage, 'One page.') },
    handle: async (exchange, context) => {
      const { cursor, limit } = exchange.parseQuery()
      const { items, next } = await filesOf(context).list(context.principal().owner, {
        limit,
        ...(cursor === undefined ? {} : { after: cursor }),
      })
      return { files: items.map(toFileView), next_cursor: next }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/files/:id',
    scope: 'read',
    id: 'getUpload',
    tag,
    summary: 'Show a file',
    isServed: ({ files }) => files !== undefined,
    errors: ['file_not_found'],
    responses: { 200: json(FileView, 'Without its content.') },
    handle: async (exchange, context) => toFileView(await findFile(context, exchange.params.id)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/files/:id/content',
    scope: 'read',
    id: 'getUploadContent',
    tag,
    summary: 'The content of a file',
    description:
      'As a download. With `disposition=inline` images, PDF and plain text are shown; nothing else ever is.',
    query: z.object({ disposition: z.enum(['attachment', 'inline']).default('attachment') }),
    headers: ['Range', 'If-None-Match'],
    isServed: ({ files }) => files !== undefined,
    errors: ['bad_request', 'file_not_found'],
    responses: {
      200: raw('application/octet-stream', 'All of it. The ETag is its SHA-256.'),
      206: raw('application/octet-stream', 'The requested range.'),
      304: empty('The client has it.'),
      416: empty('There is no such range.'),
    },
    handle: async (exchange, context) => {
      const { disposition } = exchange.parseQuery()
      const file = await findFile(context, exchange.params.id)
      return await sendContent(exchange, filesOf(context), { file, isInline: disposition === 'inline' })
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/files/:id',
    scope: 'write',
    id: 'deleteUpload',
    sharedByOwner: true,
    tag,
    summary: 'Delete a file',
    description: 'With `force=true` also one that sessions refer to; models then read that it was deleted.',
    query: z.object({ force: z.enum(['true', 'false']).default('false') }),
    isServed: ({ files }) => files !== undefined,
    errors: ['bad_request', 'file_not_found', 'file_in_use'],
    responses: { 200: json(DeletedFile, 'It is deleted.') },
    handle: async (exchange, context) => {
      const { force } = exchange.parseQuery()
      const { id } = exchange.params
      await deleteFile(context, id, force === 'true')
      return { id, deleted: true }
    },
  }),
]

function toFileView({ id, sha256, bytes, media_type, filename, ...file }: StoredFile) {
  return {
    id,
    sha256,
    bytes,
    media_type,
    filename,
    created_at: new Date(file.created_at).toISOString(),
    expires_at: file.is_used ? null : new Date(file.expires_at).toISOString(),
    scan: 'none' as const,
    problem: file.problem ?? null,
  }
}
