/** Reads of SQLite that fail as every store's reads do. */
import { AppError } from '@toolwire/core'

/** `read`, with AppError('storage_error') in place of what SQLite throws: a damaged page is found when it is read. */
export function withStorageErrors<A extends readonly unknown[], R>(
  read: (...args: A) => R,
): (...args: A) => R {
  return (...args) => {
    try {
      return read(...args)
    } catch (error) {
      if (AppError.is(error)) throw error
      throw new AppError('storage_error', undefined, { cause: String(error) })
    }
  }
}
