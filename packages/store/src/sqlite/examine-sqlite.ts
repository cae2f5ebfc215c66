/** Reads the database of a folder beside the process that writes it; makes and changes nothing. */
import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { StoreOpenError } from '../store-errors.ts'
import { MOST_COUNTED, type StoreSummary } from '../store-summary.ts'
import { MIGRATIONS } from './migrations.ts'
import { errcodeOf } from './prepare-database.ts'

const CANNOT_OPEN = 14
/** Only a process that recovers the log of a crashed one makes a reader wait. */
const BUSY_MS = 1000

/** Undefined without a database. Throws StoreOpenError for a file that no start would accept. */
export function examineSqlite(dir: string): StoreSummary | undefined {
  const file = resolve(join(dir, 'toolwire.db'))
  let version = 0
  let sessions = 0
  try {
    const found = statSync(file, { throwIfNoEntry: false })
    if (!found || (found.size === 0 && found.isFile())) return undefined
    if (!found.isFile()) throw new StoreOpenError('store_corrupt', file, 'The file is no database')
    const db = openBesideWriter(file)
    try {
      version = Number(db.prepare('pragma user_version').get()?.['user_version'])
      if (version > 0 && version <= MIGRATIONS.length)
        sessions = Number(
          db.prepare(`select count(*) as n from (select 1 from session limit ${MOST_COUNTED + 1})`).get()?.[
            'n'
          ],
        )
    } finally {
      db.close()
    }
  } catch (error) {
    throw toOpenError(error, file)
  }
  if (version > MIGRATIONS.length)
    throw new StoreOpenError(
      'store_newer',
      file,
      `The database has schema version ${version}, this program knows ${MIGRATIONS.length}; use the newer program`,
    )
  return { version, known: MIGRATIONS.length, sessions }
}

/**
 * The latest writes of a running server are in the write-ahead log, which only SQLite reads. Opening the file
 * otherwise would also drop this process's locks. Without that log the file is complete and is left alone.
 */
function openBesideWriter(file: string): DatabaseSync {
  const url = pathToFileURL(file)
  if (!existsSync(`${file}-wal`)) url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true, timeout: BUSY_MS })
}

function toOpenError(error: unknown, file: string): unknown {
  if (error instanceof StoreOpenError) return error
  const message = error instanceof Error ? error.message : String(error)
  const code = errcodeOf(error) & 0xff
  return code === 0 || code === CANNOT_OPEN
    ? new StoreOpenError('store_unwritable', file, `The database cannot be read: ${message}`)
    : new StoreOpenError('store_corrupt', file, `The file is no database of this program: ${message}`)
}
