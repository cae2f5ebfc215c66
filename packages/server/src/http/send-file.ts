/** A file over HTTP, as text, whole or one range of its bytes. Streamed, so that its size costs no memory. */
import type { FileHandle } from 'node:fs/promises'
import { AppError, type ByteRange } from '@toolwire/core'
import type { Exchange } from './exchange.ts'
import { emptyReply, type Reply, streamReply } from './reply.ts'

/** Replies with 200, 206 or 416. Throws `not_found` with the message `missing` when it could not be opened. Closes it. */
export async function sendFile(
  exchange: Exchange,
  opened: Promise<FileHandle>,
  missing: string,
): Promise<Reply> {
  const file = await opened.catch(() => undefined)
  if (!file) throw new AppError('not_found', missing)
  const { size } = await file.stat()
  exchange.setHeader('content-type', 'text/plain; charset=utf-8')
  const sent = sendBytes(exchange, size, range => file.createReadStream({ ...range }))
  if (sent.body.type === 'empty') await file.close()
  return sent
}

/** All bytes, or the range that the request asks for: 200, 206 or 416. Nothing is read for an empty body. */
export function sendBytes(
  exchange: Exchange,
  size: number,
  read: (range: ByteRange) => AsyncIterable<Uint8Array>,
): Reply {
  exchange.setHeader('accept-ranges', 'bytes')
  const range = parseRange(exchange.headers.range, size)
  if (range === 'unsatisfiable') {
    exchange.setHeader('content-range', `bytes */${size}`)
    return emptyReply(416)
  }
  const { start, end } = range ?? { start: 0, end: size - 1 }
  if (range) exchange.setHeader('content-range', `bytes ${start}-${end}/${size}`)
  exchange.setHeader('content-length', Math.max(0, end - start + 1))
  const status = range ? 206 : 200
  return end < start ? emptyReply(status) : streamReply(status, read({ start, end }))
}

/** One range of bytes; several, or another unit, are ignored as the standard allows. */
function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') return suffix(Number(last), size)
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'unsatisfiable' : { start, end }
}

function suffix(length: number, size: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || size === 0) return 'unsatisfiable'
  return { start: Math.max(0, size - length), end: size - 1 }
}
