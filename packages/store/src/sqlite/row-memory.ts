/**
 * Cached rows of the session table: requests name one session each, and a statement per request costs more than
 * the rest of the lookup. This process is the only writer, so a cached row is updated by every commit. Invariant:
 * it equals the database row whenever no flush is in flight.
 */
import type { SessionRow } from '@toolwire/core'
import type { ChunkWrite, SessionWrite, WriterRequest } from './protocol.ts'

/** A row with the number that writes name it by. */
interface NumberedRow extends SessionRow {
  readonly num: number
}

export interface SessionRowCache {
  readonly find: (id: string) => SessionRow | undefined
  /** Keeps a row that was read. */
  readonly keep: (row: NumberedRow) => void
  /** Takes a request over that was carried out. */
  readonly follow: (request: WriterRequest) => void
}

const MAX_ROWS = 4096

export function createRowMemory(): SessionRowCache {
  const rows = new Map<number, NumberedRow>()
  const nums = new Map<string, number>()

  function keep(row: NumberedRow): void {
    rows.set(row.num, row)
    nums.set(row.id, row.num)
    if (rows.size <= MAX_ROWS) return
    const [oldest] = rows.values()
    if (oldest) forget(oldest)
  }
  function forget({ num, id }: { readonly num: number; readonly id: string }): void {
    rows.delete(num)
    nums.delete(id)
  }
  function takeSession(write: SessionWrite): void {
    const { num, created } = write
    const row = created ? { ...NEW_ROW, num, id: created.id, createdAt: created.at } : rows.get(num)
    if (row) keep(changed(row, write))
  }
  function takeChunk({ session, seq, n }: ChunkWrite): void {
    const row = rows.get(session)
    const head = seq + n - 1
    if (row && head > row.head) rows.set(session, { ...row, head })
  }

  return {
    find(id) {
      const num = nums.get(id)
      const row = num === undefined ? undefined : rows.get(num)
      if (!row) return undefined
      const { num: _, ...told } = row
      return told
    },
    keep,
    follow(request) {
      if (request.type === 'remove') for (const session of request.sessions) forget(session)
      if (request.type !== 'flush') return
      for (const session of request.sessions) takeSession(session)
      for (const chunk of request.chunks) takeChunk(chunk)
    },
  }
}

const NEW_ROW = {
  head: 0,
  epoch: 0,
  owner: null,
  state: 'idle',
  title: null,
  labels: {},
  wakeAt: null,
  updatedAt: 0,
} as const

/** The row behind a write. */
function changed(row: NumberedRow, write: SessionWrite): NumberedRow {
  const { head, epoch, owner, state, wakeAt, updatedAt, title = row.title, labels } = write
  return {
    ...row,
    head,
    epoch,
    owner,
    state,
    wakeAt,
    updatedAt,
    title,
    labels: labels ? mergeLabels(row.labels, labels) : row.labels,
  }
}

/** As the database merges them: null deletes. */
function mergeLabels(
  labels: SessionRow['labels'],
  patch: Readonly<Record<string, string | null>>,
): SessionRow['labels'] {
  const merged = Object.entries({ ...labels, ...patch })
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null))
}
