/** The content of a file over HTTP, so that nothing in it can run as a page of this server. */
import { contentDisposition, type FileStore, type StoredFile } from '@toolwire/core'
import type { Exchange } from '../http/exchange.ts'
import { emptyReply, type Reply } from '../http/reply.ts'
import { sendBytes } from '../http/send-file.ts'

/** Types that browsers show without running anything. */
const SHOWN: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
  'text/plain',
])

/** Types whose name does no harm: browsers neither run nor show them. */
const NAMED =
  /^(?:audio\/(?:wav|mpeg|ogg|flac|mp4)|text\/(?:csv|markdown)|application\/(?:json|zip|gzip|x-ipynb\+json))$/

/** Replies with 200, 206, 304 or 416. Throws `file_not_found` when it is deleted meanwhile. */
export async function sendContent(
  exchange: Exchange,
  files: FileStore,
  { file, isInline }: { readonly file: StoredFile; readonly isInline: boolean },
): Promise<Reply> {
  const { media_type, filename, sha256, bytes } = file
  const etag = `"${sha256}"`
  const isShown = SHOWN.has(media_type)
  const type = isShown || NAMED.test(media_type) ? media_type : 'application/octet-stream'
  exchange.setHeaders({
    etag,
    'content-type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    'content-disposition': contentDisposition(isInline && isShown ? 'inline' : 'attachment', filename),
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache',
  })
  const { 'if-none-match': tags, 'if-range': condition } = exchange.headers
  if (
    tags !== undefined &&
    (tags === '*' || tags.split(',').some(one => one.trim().replace(/^W\//, '') === etag))
  )
    return emptyReply(304)
  // A part of another content would not fit what the client has.
  if (condition !== undefined && condition !== etag) delete exchange.headers.range
  return sendBytes(exchange, bytes, range => files.read(file, range))
}
