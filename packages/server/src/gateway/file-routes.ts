/** /v1/files, in the words of the client's vendor: Anthropic's clients send their version with every request. */
import type { StoredFile } from '@toolwire/core'
import { parseBody } from '@toolwire/wire'
import { z } from 'zod'
import type { ServerContext } from '../context.ts'
import { speaksMessages } from '../errors.ts'
import { deleteFile, filesOf, findFile, newFileId, storeFile } from '../files/file-service.ts'
import { sendContent } from '../files/send-content.ts'
import type { Exchange } from '../http/exchange.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { json, raw } from '../openapi/operation.ts'
import { VendorDeletedFile, VendorFile, VendorFileList } from '../openapi/shapes/file-shapes.ts'

const HOUR_S = 3_600
const DAY_S = 24 * HOUR_S
const MAX_PAGE = 100

const FormFields = z.object({
  purpose: z.string().max(64).optional(),
  'expires_after[anchor]': z.literal('created_at').optional(),
  'expires_after[seconds]': z.coerce
    .number()
    .int()
    .min(HOUR_S)
    .max(90 * DAY_S)
    .optional(),
  expires_in_seconds: z.coerce
    .number()
    .int()
    .min(HOUR_S)
    .max(90 * DAY_S)
    .optional(),
})

const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(10_000).default(20),
  after: z.string().max(100).optional().describe('An id, for clients of OpenAI.'),
  page: z.string().max(200).optional().describe('A position, for clients of Anthropic.'),
  order: z.literal('desc').optional(),
})

const common = {
  scope: 'gateway',
  tag: 'Gateway',
  errorShape: 'models',
  isServed: ({ files }: Pick<ServerContext, 'files'>) => files !== undefined,
} as const

export const vendorFileRoutes: readonly Route[] = [
  defineRoute({
    ...common,
    method: 'POST',
    path: '/v1/files',
    id: 'uploadVendorFile',
    summary: 'Store a file, in the format of the calling API',
    upload: FormFields,
    streamsBody: true,
    errors: ['bad_request', 'limit_reached', 'owner_storage_full', 'storage_full'],
    responses: { 200: json(VendorFile, 'The file. Requests of every API may name its id.') },
    handle: async (exchange, context) => {
      const stored = await storeFile(exchange, context, {
        id: newFileId(context),
        read: (fields = {}) => {
          const { purpose, expires_in_seconds, ...more } = parseBody(FormFields, fields)
          return { lifetimeS: expires_in_seconds ?? more['expires_after[seconds]'] ?? DAY_S, purpose }
        },
      })
      return toVendorFile(exchange, stored)
    },
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/v1/files',
    id: 'listVendorFiles',
    sharedByOwner: true,
    summary: 'List files, the newest first',
    query: ListQuery,
    errors: ['bad_request', 'invalid_cursor', 'file_not_found'],
    responses: { 200: json(VendorFileList, 'One page.') },
    handle: async (exchange, context) => {
      const { limit, after, page } = exchange.parseQuery()
      const from = after === undefined ? page : positionOf(await findFile(context, after))
      const { items, next } = await filesOf(context).list(context.principal().owner, {
        limit: Math.min(limit, MAX_PAGE),
        ...(from === undefined ? {} : { after: from }),
      })
      const data = items.map(file => toVendorFile(exchange, file))
      const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
      const list = { data, has_more: next !== null, ...ends }
      return speaksMessages(exchange) ? { ...list, next_page: next } : { object: 'list', ...list }
    },
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/v1/files/:id',
    id: 'getVendorFile',
    summary: 'Show a file',
    errors: ['file_not_found'],
    responses: { 200: json(VendorFile, 'Without its content.') },
    handle: async (exchange, context) => toVendorFile(exchange, await findFile(context, exchange.params.id)),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/v1/files/:id/content',
    id: 'getVendorFileContent',
    summary: 'The content of a file',
    headers: ['Range'],
    errors: ['file_not_found'],
    responses: { 200: raw('application/octet-stream', 'As a download.') },
    handle: async (exchange, context) => {
      const file = await findFile(context, exchange.params.id)
      return await sendContent(exchange, filesOf(context), { file, isInline: false })
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/v1/files/:id',
    id: 'deleteVendorFile',
    sharedByOwner: true,
    summary: 'Delete a file',
    description: 'Not one that a session refers to.',
    errors: ['file_not_found', 'file_in_use'],
    responses: { 200: json(VendorDeletedFile, 'It is deleted.') },
    handle: async (exchange, context) => {
      const { id } = exchange.params
      await deleteFile(context, id, false)
      return speaksMessages(exchange) ? { id, type: 'file_deleted' } : { id, object: 'file', deleted: true }
    },
  }),
]

const positionOf = ({ created_at, id }: StoredFile): string => `${created_at}.${id}`

function toVendorFile(exchange: Exchange, file: StoredFile) {
  const { id, filename, bytes, media_type, created_at, expires_at, is_used, purpose = 'user_data' } = file
  if (speaksMessages(exchange))
    return {
      id,
      type: 'file' as const,
      filename,
      mime_type: media_type,
      size_bytes: bytes,
      created_at: new Date(created_at).toISOString(),
      expires_at: is_used ? null : new Date(expires_at).toISOString(),
      downloadable: true as const,
    }
  return {
    id,
    object: 'file' as const,
    bytes,
    created_at: Math.floor(created_at / 1000),
    ...(is_used ? {} : { expires_at: Math.floor(expires_at / 1000) }),
    filename,
    purpose,
    status: 'processed' as const,
  }
}
