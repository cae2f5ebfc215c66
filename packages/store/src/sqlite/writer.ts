/**
 * Carries out what the main side decided: it judges nothing and knows no rules of the log.
 * Each request is one transaction; when it throws, nothing of it is stored.
 */
import type { DatabaseSync } from 'node:sqlite'
import { toTerms } from '../search-terms.ts'
import type { SessionWrite, WriterRequest } from './protocol.ts'

export interface Writer {
  /** Throws what SQLite throws, after rolling back. */
  readonly run: (request: Exclude<WriterRequest, { type: 'close' }>) => void
  /** One transaction, on disk before it returns when `durable`. Throws what `work` and SQLite throw, after rolling back. */
  readonly transact: (durable: boolean, work: () => void) => void
}

/** Pages given back to the file system after a removal; the rest follows with the next ones. */
const VACUUM_PAGES = 2000

export function createWriter(db: DatabaseSync): Writer {
  const begin = db.prepare('begin immediate')
  const commit = db.prepare('commit')
  const insertChunk = db.prepare(
    'insert into chunk(session, seq, n, epoch, w, data) values(?, ?, ?, ?, ?, ?)',
  )
  const writeSession = createSessionWriter(db)
  const removeSession = createSessionRemover(db)
  let isDurable: boolean | undefined

  function transact(durable: boolean, work: () => void): void {
    // SQLite ignores this inside a transaction, so it comes first.
    if (durable !== isDurable) db.exec(`pragma synchronous = ${durable ? 'full' : 'normal'}`)
    isDurable = durable
    begin.run()
    try {
      work()
      commit.run()
    } catch (error) {
      if (db.isTransaction) db.exec('rollback')
      throw error
    }
  }

  return {
    transact,
    run(request) {
      switch (request.type) {
        case 'flush':
          return transact(request.durable, () => {
            for (const { session, seq, n, epoch, w, json } of request.chunks)
              insertChunk.run(session, seq, n, epoch, w, json)
            for (const session of request.sessions) writeSession(session)
          })
        case 'remove':
          transact(true, () => {
            for (const { num, id } of request.sessions) removeSession(num, id, request.at)
          })
          return db.exec(`pragma incremental_vacuum(${VACUUM_PAGES})`)
      }
    },
  }
}

function createSessionWriter(db: DatabaseSync): (write: SessionWrite) => void {
  const insert = db.prepare(
    `insert into session(num, id, head, epoch, wseq, whead, state, created_at, updated_at)
     values(?, ?, 0, 0, 0, 0, 'idle', ?, ?)`,
  )
  const update = db.prepare(
    `update session set head = ?, epoch = ?, wseq = ?, whead = ?, owner = ?, state = ?, wake_at = ?, updated_at = ?
     where num = ?`,
  )
  const setTitle = db.prepare('update session set title = ? where num = ?')
  const mergeLabels = db.prepare('update session set labels = json_patch(labels, ?) where num = ?')
  const insertKey = db.prepare('insert into input_key(session, key, seq) values(?, ?, ?)')
  const search = createSearchWriter(db)

  return write => {
    const { num, created } = write
    if (created) insert.run(num, created.id, created.at, created.at)
    const { head, epoch, wseq, whead, owner, state, wakeAt, updatedAt } = write
    update.run(head, epoch, wseq, whead, owner, state, wakeAt, updatedAt, num)
    if (write.title !== undefined) {
      setTitle.run(write.title, num)
      search.setTitle(num, write.title)
    }
    if (write.labels && Object.keys(write.labels).length > 0)
      mergeLabels.run(JSON.stringify(write.labels), num)
    for (const text of write.texts) search.addText(num, text)
    for (const { key, seq } of write.keys) insertKey.run(num, key, seq)
  }
}

function createSearchWriter(db: DatabaseSync): {
  readonly setTitle: (num: number, title: string) => void
  readonly addText: (num: number, text: string) => void
  readonly remove: (num: number) => void
} {
  const insertDoc = db.prepare('insert into search_doc(session, is_title) values(?, ?)')
  const insertTerms = db.prepare('insert into search(rowid, terms) values(?, ?)')
  const docs = db.prepare('select doc from search_doc where session = ? and is_title >= ?')
  const deleteDoc = db.prepare('delete from search_doc where doc = ?')
  const deleteTerms = db.prepare('delete from search where rowid = ?')

  function add(num: number, isTitle: number, text: string): void {
    const terms = toTerms(text)
    if (terms.length === 0) return
    const { lastInsertRowid } = insertDoc.run(num, isTitle)
    insertTerms.run(lastInsertRowid, terms.join(' '))
  }
  function drop(num: number, leastTitle: number): void {
    for (const { doc } of docs.all(num, leastTitle) as unknown as readonly { readonly doc: number }[]) {
      deleteTerms.run(doc)
      deleteDoc.run(doc)
    }
  }
  return {
    setTitle(num, title) {
      drop(num, 1)
      add(num, 1, title)
    },
    addText: (num, text) => add(num, 0, text),
    remove: num => drop(num, 0),
  }
}

function createSessionRemover(db: DatabaseSync): (num: number, id: string, at: number) => void {
  const search = createSearchWriter(db)
  const deleteSession = db.prepare('delete from session where num = ?')
  const deleteChunks = db.prepare('delete from chunk where session = ?')
  const deleteKeys = db.prepare('delete from input_key where session = ?')
  const bury = db.prepare('insert or replace into tombstone(id, deleted_at) values(?, ?)')
  return (num, id, at) => {
    search.remove(num)
    deleteChunks.run(num)
    deleteKeys.run(num)
    deleteSession.run(num)
    bury.run(id, at)
  }
}
