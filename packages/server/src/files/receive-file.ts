/** A file on its way from a request into the store. */
import { AppError, type FileStore, type FileUpload, type StoredFile, safeFileName } from '@toolwire/core'
import { type ContentFacts, inspectContent } from './inspect-content.ts'

export interface ReceivedFile {
  readonly bytes: number
  readonly filename: string
  readonly facts: ContentFacts
  /** Stores it under this id. */
  readonly finish: (more: FinishFields) => Promise<StoredFile>
  readonly abort: () => Promise<void>
}

interface FinishFields {
  readonly id: string
  readonly now: number
  readonly lifetimeMs: number
  readonly purpose?: string | undefined
}

/** Aborts the upload when it throws: `bad_request` for an empty one, and what store and inspection throw. */
export async function receiveFile(
  files: FileStore,
  owner: string,
  { filename: name, chunks }: { readonly filename: string; readonly chunks: AsyncIterable<Uint8Array> },
): Promise<ReceivedFile> {
  const filename = safeFileName(name)
  const inspector = inspectContent(filename)
  const upload = await files.begin(owner)
  try {
    let bytes = 0
    for await (const chunk of chunks) {
      bytes += chunk.length
      inspector.add(chunk)
      await upload.write(chunk)
    }
    if (bytes === 0) throw new AppError('bad_request', 'The file is empty.')
    return toReceived(upload, { bytes, filename, facts: inspector.finish() })
  } catch (error) {
    await upload.abort()
    throw error
  }
}

function toReceived(
  upload: FileUpload,
  file: Pick<ReceivedFile, 'bytes' | 'filename' | 'facts'>,
): ReceivedFile {
  const { filename, facts } = file
  return {
    ...file,
    finish: async ({ id, now, lifetimeMs, purpose }) =>
      await upload.finish({
        id,
        filename,
        ...facts,
        created_at: now,
        expires_at: now + lifetimeMs,
        ...(purpose === undefined ? {} : { purpose }),
      }),
    abort: () => upload.abort(),
  }
}

/** Fields that a form may have beside its file. */
const MAX_FIELD = 1024

/** The text of a field. Throws `bad_request` for a long one. */
export async function readField(body: AsyncIterable<Uint8Array>, name: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_FIELD) throw new AppError('bad_request', `${name.slice(0, 100)}: the field is too long`)
    chunks.push(Buffer.from(chunk))
  }
  return Buffer.concat(chunks).toString('utf8')
}
