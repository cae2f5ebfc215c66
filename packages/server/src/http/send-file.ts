/** A file over HTTP, as text, whole or one range of its bytes. Streamed, so that its size costs no memory. */
import type { FileHandle } from 'node:fs/promises'
import { AppError } from '@toolwire/core'
import type { Exchange } from './exchange.ts'
import { emptyReply, type Reply, streamReply } from './reply.ts'

interface Range {
  readonly start: number
  /** The last byte, inclusive. */
  readonly end: number
}

/** Replies with 200, 206 or 416. Throws `not_found` with the message `missing` when it could not be opened. Closes it. */
export async function sendFile(
  exchange: Exchange,
  opened: Promise<FileHandle>,
  missing: string,
): Promise<Reply> {
  const file = await opened.catch(() => undefined)
  if (!file) throw new AppError('not_found', missing)
  const { size } = await file.stat()
  exchange.setHeaders({ 'content-type': 'text/plain; charset=utf-8', 'accept-ranges': 'bytes' })
  const range = parseRange(exchange.headers.range, size)
  if (range === 'unsatisfiable') {
    await file.close()
    exchange.setHeader('content-range', `bytes */${size}`)
    return emptyReply(416)
  }
  const { start, end } = range ?? { start: 0, end: size - 1 }
  if (range) exchange.setHeader('content-range', `bytes ${start}-${end}/${size}`)
  exchange.setHeader('content-length', Math.max(0, end - start + 1))
  const status = range ? 206 : 200
  if (end < start) {
    await file.close()
    return emptyReply(status)
  }
  return streamReply(status, file.createReadStream({ start, end }))
}

/** One range of bytes; several, or another unit, are ignored as the standard allows. */
function parseRange(header: string | undefined, size: number): Range | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') return suffix(Number(last), size)
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'unsatisfiable' : { start, end }
}

function suffix(length: number, size: number): Range | 'unsatisfiable' {
  if (length === 0 || size === 0) return 'unsatisfiable'
  return { start: Math.max(0, size - length), end: size - 1 }
}
