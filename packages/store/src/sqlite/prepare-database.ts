/**
 * Opens the database file for writing and makes sure that it can be used: SQLite's version, journal, schema version.
 * Whether its pages are sound is checked beside the service (check-integrity.ts). Every refusal is a value, because it has to cross a thread.
 */
import { DatabaseSync } from 'node:sqlite'
import { createDatabaseFile } from '../private-files.ts'
import { MIGRATIONS } from './migrations.ts'
import { hadUncleanShutdown, isMarkedOpen } from './open-mark.ts'
import { dropPreviews, readPreviews } from './preview-file.ts'
import type { WriterStart, WriterStarted } from './protocol.ts'
import { renewRestoredAt } from './restored-at.ts'
import { settlePreviews } from './settle.ts'

type Refusal = Extract<WriterStarted, { type: 'refused' }>
type PrepareResult = PreparedDatabase | Refusal

interface PreparedDatabase {
  readonly type: 'prepared'
  readonly db: DatabaseSync
  readonly nextNum: number
  /** The machine went down while the data were open. */
  readonly hadCrash: boolean
  /** The last process that had the data open did not close them. */
  readonly wasLeftOpen: boolean
}

/** Earlier engines can corrupt a database when a WAL is reset. */
const LEAST_SQLITE = [3, 51, 3] as const
const WAL_BYTES_KEPT = 64 * 1024 * 1024
/** Rarer than by default: previews are written, moved and folded, and a later checkpoint copies only the outcome. */
const CHECKPOINT_PAGES = 4000
const CACHE_KIB = 16_000
const NOTADB = 26
const CORRUPT = 11

export const FORGET_OWNERS = 'update session set owner = null where owner is not null'

/** The caller closes the database. Its owners of before are forgotten: they died with their process. */
export function prepareDatabase(start: WriterStart): PrepareResult {
  let db: DatabaseSync | undefined
  try {
    createDatabaseFile(start.file)
    db = new DatabaseSync(start.file, { timeout: 5000 })
    // Nothing is written before the file is known to be ours.
    const refusal = checkEngine(db) ?? checkOrigin(db) ?? useWal(db)
    if (refusal) {
      db.close()
      return refusal
    }
    migrate(db)
    const hadCrash = hadUncleanShutdown(start.file)
    const wasLeftOpen = isMarkedOpen(start.file)
    if (hadCrash) renewRestoredAt(db)
    db.exec(`begin immediate; ${FORGET_OWNERS}`)
    settlePreviews(db, readPreviews(start.file))
    db.exec('commit')
    dropPreviews(start.file)
    // After settling, which may need one more page: a full store must open, or no space could be freed.
    if (start.maxBytes !== null) limitSize(db, start.maxBytes)
    const row = db.prepare('select coalesce(max(num), 0) + 1 as next from session').get()
    return { type: 'prepared', db, nextNum: Number(row?.['next']), hadCrash, wasLeftOpen }
  } catch (error) {
    if (db?.isOpen) db.close()
    return toRefusal(error)
  }
}

function checkEngine(db: DatabaseSync): Refusal | undefined {
  const version = String(db.prepare('select sqlite_version() as version').get()?.['version'])
  if (isOlder(version.split('.').map(Number), LEAST_SQLITE))
    return refused(
      'store_unsupported',
      `SQLite ${version} is too old; ${LEAST_SQLITE.join('.')} or later is needed`,
    )
  return undefined
}

function isOlder(version: readonly number[], least: readonly number[]): boolean {
  for (const [i, part] of least.entries()) {
    const own = version[i] ?? 0
    if (own !== part) return own < part
  }
  return false
}

function checkOrigin(db: DatabaseSync): Refusal | undefined {
  const version = versionOf(db)
  if (version > MIGRATIONS.length)
    return refused(
      'store_newer',
      `The database has schema version ${version}, this program knows ${MIGRATIONS.length}; use the newer program`,
    )
  const tables = Number(db.prepare('select count(*) as tables from sqlite_schema').get()?.['tables'])
  return version === 0 && tables > 0
    ? refused('store_corrupt', 'The file is a database of another program')
    : undefined
}

function useWal(db: DatabaseSync): Refusal | undefined {
  // Only a file without tables takes this; for others it would be an idle write.
  if (versionOf(db) === 0) db.exec('pragma auto_vacuum = incremental')
  const mode = String(db.prepare('pragma journal_mode = wal').get()?.['journal_mode'])
  if (mode !== 'wal')
    return refused(
      'store_unsupported',
      `This file system does not allow a write-ahead log (journal mode ${mode})`,
    )
  db.exec(`pragma journal_size_limit = ${WAL_BYTES_KEPT}; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  db.exec(`pragma cache_size = -${CACHE_KIB}; pragma temp_store = memory`)
  return undefined
}

function migrate(db: DatabaseSync): void {
  const version = versionOf(db)
  for (const [i, sql] of MIGRATIONS.entries()) {
    if (i >= version) db.exec(`begin immediate; ${sql}; pragma user_version = ${i + 1}; commit`)
  }
}

const versionOf = (db: DatabaseSync): number =>
  Number(db.prepare('pragma user_version').get()?.['user_version'])

function limitSize(db: DatabaseSync, maxBytes: number): void {
  const pageSize = Number(db.prepare('pragma page_size').get()?.['page_size'])
  db.exec(`pragma max_page_count = ${Math.max(1, Math.floor(maxBytes / pageSize))}`)
}

function toRefusal(error: unknown): Refusal {
  const message = error instanceof Error ? error.message : String(error)
  const code = errcodeOf(error) & 0xff
  if (code === NOTADB || code === CORRUPT)
    return refused('store_corrupt', `The database is damaged: ${message}`)
  return refused('store_unwritable', `The database cannot be opened for writing: ${message}`)
}

/** SQLite's result code of an error, 0 for any other error. */
export function errcodeOf(error: unknown): number {
  return typeof error === 'object' &&
    error !== null &&
    'errcode' in error &&
    typeof error.errcode === 'number'
    ? error.errcode
    : 0
}

const refused = (code: Refusal['code'], message: string): Refusal => ({ type: 'refused', code, message })
