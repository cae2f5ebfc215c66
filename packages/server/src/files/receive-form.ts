/** A form with exactly one file, on its way from a request into the store; fields may be before or after the file. */
import { AppError, type FileStore } from '@toolwire/core'
import type { Exchange } from '../http/exchange.ts'
import { boundaryIn, readForm } from './read-multipart.ts'
import { type ReceivedFile, readField, receiveFile } from './receive-file.ts'

export interface ReceivedForm {
  readonly file: ReceivedFile
  readonly fields: Readonly<Record<string, string>>
}

/** Room for boundaries, headers and fields. */
const MAX_AROUND = 1024 * 1024

/** Ends with `payload_too_large` beyond `max` bytes: also what is skipped is read. */
export async function* boundChunks(
  chunks: AsyncIterable<Uint8Array>,
  max: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > max) throw new AppError('payload_too_large', `The request has more than ${max} bytes.`)
    yield chunk
  }
}

export const isForm = ({ headers }: Exchange): boolean =>
  /^multipart\/form-data(?:\s*;|$)/i.test(headers['content-type'] ?? '')

/** Throws `bad_request` for another number of files, and what `receiveFile` throws. Nothing is left of it then. */
export async function receiveForm(
  exchange: Exchange,
  { files, owner, max }: { readonly files: FileStore; readonly owner: string; readonly max: number },
): Promise<ReceivedForm> {
  const chunks = boundChunks(exchange.readChunks(), max + MAX_AROUND)
  const fields = new Map<string, string>()
  let file: ReceivedFile | undefined
  try {
    for await (const part of readForm(chunks, boundaryIn(exchange.headers['content-type'] ?? ''))) {
      if (part.filename === undefined && part.name !== 'file') {
        if (fields.has(part.name)) throw new AppError('bad_request', 'The form has a field twice.')
        fields.set(part.name, await readField(part.body, part.name))
        continue
      }
      if (file) throw new AppError('bad_request', 'The form has more than one file.')
      if (part.name !== 'file')
        throw new AppError('bad_request', 'The name of the part with the file is "file".')
      file = await receiveFile(files, owner, { filename: part.filename ?? 'file', chunks: part.body })
    }
    if (!file) throw new AppError('bad_request', 'The form has no part "file".')
    return { file, fields: Object.fromEntries(fields) }
  } catch (error) {
    await file?.abort()
    throw error
  }
}
