/** Looks at the database of a folder without opening it, so that nothing is made or changed beside a running server. */
import { closeSync, openSync, readSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { StoreOpenError } from '../store-errors.ts'
import { MIGRATIONS } from './migrations.ts'

const HEADER = 100
const MAGIC = 'SQLite format 3\0'
/** Where `pragma user_version` is kept. */
const VERSION_AT = 60

/** Undefined when there is none yet. Throws StoreOpenError for a file that no start would take. */
export function examineSqlite(dir: string): { readonly version: number; readonly known: number } | undefined {
  const file = resolve(join(dir, 'toolwire.db'))
  const header = readHeader(file)
  if (!header || header.length === 0) return undefined
  if (header.length < HEADER || header.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new StoreOpenError('store_corrupt', file, 'The file is no database')
  const version = header.readUInt32BE(VERSION_AT)
  if (version > MIGRATIONS.length)
    throw new StoreOpenError(
      'store_newer',
      file,
      `The database has schema version ${version}, this program knows ${MIGRATIONS.length}; use the newer program`,
    )
  return { version, known: MIGRATIONS.length }
}

function readHeader(file: string): Buffer | undefined {
  let handle: number
  try {
    handle = openSync(file, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    const message = error instanceof Error ? error.message : String(error)
    throw new StoreOpenError('store_unwritable', file, `The database cannot be read: ${message}`)
  }
  try {
    const bytes = Buffer.alloc(HEADER)
    return bytes.subarray(0, readSync(handle, bytes, 0, HEADER, 0))
  } finally {
    closeSync(handle)
  }
}
