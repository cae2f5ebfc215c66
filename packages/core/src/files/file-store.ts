/**
 * The port for files that users send: bytes in and out as streams, addressed by their content within one owner. Two
 * owners with the same bytes have two copies, so that no upload shows what another owner has.
 */
import type { Page } from '../log.ts'

export interface FileDetails {
  readonly id: string
  /** By the content, not by the sender's word. */
  readonly media_type: string
  readonly filename: string
  /** Milliseconds, as are all times here. */
  readonly created_at: number
  /** The file is gone from then on, unless a session refers to it. */
  readonly expires_at: number
  /** The reason that no model is shown it. */
  readonly problem?: string
  /** As the client of a vendor named it. */
  readonly purpose?: string
}

export interface StoredFile extends FileDetails {
  readonly owner: string
  /** Of its content, in hexadecimal digits. */
  readonly sha256: string
  readonly bytes: number
  /** A session refers to it. */
  readonly is_used: boolean
}

/** A file on its way in. After an error only `abort` may follow. */
export interface FileUpload {
  /** Throws `payload_too_large` for the file, `owner_storage_full` for its owner, and `storage_full`. */
  write(chunk: Uint8Array): Promise<void>
  /**
   * Durable once it resolves. A file of the same id and content stays, with the later of both times. Throws `conflict`
   * for an id of another content, and `limit_reached`.
   */
  finish(details: FileDetails): Promise<StoredFile>
  /** Idempotent; without effect on a finished one. */
  abort(): Promise<void>
}

/** Bytes from `start` up to and including `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface FileStore {
  begin(owner: string): Promise<FileUpload>
  /** Undefined for one of another owner, and for one that is deleted or expired. */
  get(owner: string, id: string): Promise<StoredFile | undefined>
  /** The newest first. Throws `invalid_cursor`. */
  list(owner: string, query: { readonly after?: string; readonly limit: number }): Promise<Page<StoredFile>>
  /** The content, or a part of it. Ends with `file_not_found` when it is gone. */
  read(file: Pick<StoredFile, 'owner' | 'sha256' | 'bytes'>, range?: ByteRange): AsyncIterable<Uint8Array>
  /** A file that a session refers to stays, unless forced. */
  remove(owner: string, id: string, force: boolean): Promise<'removed' | 'used' | 'missing'>
  /** Notes that the session refers to them, and returns those that the owner has. */
  refer(owner: string, session: string, ids: readonly string[]): Promise<readonly StoredFile[]>
  /** One of the files that the session refers to. */
  ofSession(session: string, id: string): Promise<StoredFile | undefined>
  /** `to` refers to everything that `from` does. */
  copyReferences(from: string, to: string): Promise<void>
  /** The session is gone. */
  release(session: string): Promise<void>
  /**
   * Deletes expired files, references of sessions that `findSessions` does not return, and what interrupted uploads
   * have left.
   */
  sweep(findSessions: (ids: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void>
  /** Idempotent. */
  close(): Promise<void>
}

export interface FileLimits {
  /** Bytes of one file, and of all contents of one owner. */
  readonly file: number
  readonly owner: number
  /** Files of one owner. */
  readonly count: number
}

const MEBIBYTE = 1024 ** 2
export const FILE_LIMITS: FileLimits = { file: 100 * MEBIBYTE, owner: 5 * 1024 * MEBIBYTE, count: 10_000 }
