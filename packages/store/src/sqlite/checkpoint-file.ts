/**
 * Checkpoints in a file beside the database. Nothing in it is needed: it is deleted when it cannot be used and
 * after a crash of the machine, because it is written without fsync. The writer thread writes it, the main thread reads.
 * No imports but types, node and this package: it also runs inside the writer thread.
 */
import { existsSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { createDatabaseFile } from '../private-files.ts'

const fileOf = (database: string): string => `${database}-checkpoints`

const SCHEMA = `create table if not exists checkpoint(
  session text primary key,
  seq integer not null,
  data blob not null
) strict`

export interface CheckpointWriter {
  /** Stores nothing for a session that does not exist in `db`. Never throws. */
  readonly save: (session: string, seq: number, data: Uint8Array) => void
  /** Throws what SQLite throws: a session must not be removed while its checkpoint stays. */
  readonly remove: (sessions: readonly string[]) => void
  readonly close: () => void
}

/** Opens or creates the file beside `database`. Without one that can be written, nothing is stored. */
export function openCheckpointWriter(
  database: string,
  db: DatabaseSync,
  hadCrash: boolean,
): CheckpointWriter {
  let own = hadCrash && !deleteCheckpoints(database) ? undefined : openOrReplace(database)
  const isThere = db.prepare('select 1 from session where id = ?')
  const insert = own?.prepare(
    `insert into checkpoint(session, seq, data) values(?, ?, ?)
     on conflict(session) do update set seq = excluded.seq, data = excluded.data where excluded.seq > seq`,
  )
  const remove = own?.prepare('delete from checkpoint where session = ?')

  /** For a disk that is too full to delete one: all of them go, and no more are stored. */
  function removeAll(cause: unknown): void {
    own?.close()
    own = undefined
    if (!deleteCheckpoints(database)) throw cause
  }
  return {
    save(session, seq, data) {
      try {
        if (own && isThere.get(session)) insert?.run(session, seq, data)
      } catch {
        // A full disk: the session is folded from its log instead.
      }
    },
    remove(sessions) {
      if (!own) return
      try {
        for (const session of sessions) remove?.run(session)
      } catch (error) {
        removeAll(error)
      }
    },
    close: () => own?.close(),
  }
}

/** A reader of the file; `load` returns undefined for everything that it cannot read. */
export function createCheckpointReader(database: string): {
  readonly load: (session: string) => Uint8Array | undefined
  readonly close: () => void
} {
  let db: DatabaseSync | undefined
  return {
    load(session) {
      try {
        if (!db && !existsSync(fileOf(database))) return undefined
        db ??= new DatabaseSync(fileOf(database), { readOnly: true, timeout: 100 })
        const data = db.prepare('select data from checkpoint where session = ?').get(session)?.['data']
        return data instanceof Uint8Array ? data : undefined
      } catch {
        return undefined
      }
    },
    close: () => db?.close(),
  }
}

function openOrReplace(database: string): DatabaseSync | undefined {
  try {
    return openFile(database)
  } catch {
    if (!deleteCheckpoints(database)) return undefined
  }
  try {
    return openFile(database)
  } catch {
    return undefined
  }
}

function openFile(database: string): DatabaseSync {
  createDatabaseFile(fileOf(database))
  const db = new DatabaseSync(fileOf(database), { timeout: 5000 })
  try {
    db.exec(`pragma journal_mode = wal; pragma synchronous = off; ${SCHEMA}`)
    db.prepare('select session, seq, data from checkpoint limit 1').get()
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** False when something of them is left. */
function deleteCheckpoints(database: string): boolean {
  try {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(fileOf(database) + suffix, { force: true })
    return true
  } catch {
    return false
  }
}
