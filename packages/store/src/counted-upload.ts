/** The part of an upload that is the same in every store: its hash, its size and the limits. */
import { createHash } from 'node:crypto'
import { AppError, type FileLimits } from '@toolwire/core'

export interface UploadCount {
  /** Throws `payload_too_large`. */
  readonly add: (chunk: Uint8Array) => void
  readonly bytes: () => number
  /** Call it once, at the end. */
  readonly sha256: () => string
}

export function countUpload(limits: FileLimits): UploadCount {
  const hash = createHash('sha256')
  let bytes = 0
  return {
    add(chunk) {
      bytes += chunk.length
      if (bytes > limits.file)
        throw new AppError('payload_too_large', `A file has at most ${limits.file} bytes.`)
      hash.update(chunk)
    },
    bytes: () => bytes,
    sha256: () => hash.digest('hex'),
  }
}

export const ownerFull = (limits: FileLimits): AppError =>
  new AppError('owner_storage_full', `The files of an owner have at most ${limits.owner} bytes together.`)

export const tooMany = (limits: FileLimits): AppError =>
  new AppError('limit_reached', `An owner may have ${limits.count} files. Delete some first.`)

export const missingFile = (): AppError => new AppError('file_not_found')

export const idTaken = (): AppError => new AppError('conflict', 'A file of this id has another content.')
