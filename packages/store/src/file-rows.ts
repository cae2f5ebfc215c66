/** Rows of files and cursors of their lists, as both databases have them. */
import { AppError, type FileDetails, type StoredFile } from '@toolwire/core'

/** Uploads and references are not swept before this age: their request may still be running. */
export const GRACE_MS = 60 * 60 * 1000
/** Sessions that one sweep asks about at once. */
export const SWEEP_PAGE = 200

export interface FileRow {
  readonly id: string
  readonly owner: string
  readonly sha256: string
  readonly bytes: number
  readonly created_at: number
  readonly expires_at: number
  /** JSON of what no query looks at. */
  readonly details: string
  readonly is_used: boolean | number
}

type RowDetails = Pick<FileDetails, 'media_type' | 'filename' | 'problem' | 'purpose'>

export function toDetails({ media_type, filename, problem, purpose }: FileDetails): string {
  const details: RowDetails = {
    media_type,
    filename,
    ...(problem === undefined ? {} : { problem }),
    ...(purpose === undefined ? {} : { purpose }),
  }
  return JSON.stringify(details)
}

export function toFile({ details, is_used, ...row }: FileRow): StoredFile {
  return { ...row, ...(JSON.parse(details) as RowDetails), is_used: Boolean(is_used) }
}

interface ListPosition {
  readonly created_at: number
  readonly id: string
}

/** Before the first row. */
const START: ListPosition = { created_at: Number.MAX_SAFE_INTEGER, id: '' }

/** Throws `invalid_cursor`. */
export function readPosition(after: string | undefined): ListPosition {
  if (after === undefined) return START
  const [, time, id] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(after) ?? []
  if (time === undefined || id === undefined) throw new AppError('invalid_cursor')
  return { created_at: Number(time), id }
}

/** `rows` holds one more than the page, if there is one. */
export function toPage(rows: readonly FileRow[], limit: number) {
  const items = rows.slice(0, limit).map(toFile)
  const last = rows.length > limit ? items.at(-1) : undefined
  return { items, next: last ? `${last.created_at}.${last.id}` : null }
}
