/**
 * Reasons that a store cannot be opened. They stop a program before it serves clients, so they are not AppErrors.
 */

export type StoreOpenCode =
  /** The folder or file cannot be created, read or written. */
  | 'store_unwritable'
  /** The file is damaged or is no database of ours. */
  | 'store_corrupt'
  /** The file was written by a newer version. */
  | 'store_newer'
  /** The engine lacks something the store depends on. */
  | 'store_unsupported'

/** The data cannot be opened; `path` names the file or folder. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError'
  readonly code: StoreOpenCode
  readonly path: string

  constructor(code: StoreOpenCode, path: string, message: string) {
    super(`${message} (${path})`)
    this.code = code
    this.path = path
  }
}

/** Another process, or this one a second time, has the data open. */
export class StoreLockedError extends Error {
  override readonly name = 'StoreLockedError'
  readonly code = 'store_locked'
  readonly path: string

  constructor(path: string) {
    super(`These data are in use by another running process; stop it, or choose another folder (${path})`)
    this.path = path
  }
}
