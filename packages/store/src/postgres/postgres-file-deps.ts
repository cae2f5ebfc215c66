/** Services of the files in PostgreSQL. */
import { AppError, type FileLimits } from '@toolwire/core'
import type { FileRow } from '../file-rows.ts'

/** Bytes of a stored chunk; the last one of a content may have fewer. */
export const FILE_CHUNK = 1024 * 1024

export interface PostgresFileDeps {
  /** Retries while the database is away. */
  readonly query: <T extends object = FileRow>(
    sql: string,
    values: readonly unknown[],
  ) => Promise<readonly T[]>
  readonly limits: FileLimits
  readonly now: () => number
  readonly isClosing: () => boolean
}

/** Another statement has deleted or used the content meanwhile; a later one sees which. */
export function ignoreLostContent(error: unknown): [] {
  const details = AppError.is(error) ? error.details : undefined
  if (
    typeof details === 'object' &&
    details !== null &&
    'sqlstate' in details &&
    details.sqlstate === '23503'
  )
    return []
  throw error
}
