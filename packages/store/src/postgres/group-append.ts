/**
 * Natural group commit: writes that arrive while a statement is in flight share the next one. A session's writes
 * keep their order, one per statement; writes of different sessions share. Every write is idempotent (owners by
 * `w`, others by a key), so a statement whose result was lost with its connection is sent again and stored once.
 */
import { randomUUID } from 'node:crypto'
import { AppError, type Append, type AppendResult, type Rec, type SessionPhase } from '@toolwire/core'
import { checkAppend, type Lookup, newStanding, type SessionHead } from '../append-rules.ts'
import { type EventRow, isLargeWrite, toEventRows, toEventRowsOften } from '../event-rows.ts'
import { type AppendRow, type PreparedWrite, toAppendStatement } from './append-statement.ts'
import type { Connections } from './connections.ts'
import { type RetryFunction, toAppError } from './retry.ts'

export interface PostgresCommit {
  readonly id: string
  readonly num: number
  readonly head: number
  readonly records: readonly Rec[]
  /** Length of the records as JSON. */
  readonly size: number
}

export interface GroupAppend {
  /** Resolves after the commit. Rejects with AppError, or with TypeError when an event is not JSON; then it may be repeated. */
  readonly append: (writes: readonly Append[]) => Promise<readonly AppendResult[]>
  /** Resolves when everything appended so far is answered. */
  readonly drained: () => Promise<void>
}

export interface GroupAppendParts {
  readonly connections: Connections
  readonly patiently: RetryFunction
  /** Replaces the database's clock in lists. */
  readonly now: (() => number) | undefined
  /** Called after each commit, before its appends are answered. */
  readonly publish: (committed: readonly PostgresCommit[]) => void
}

interface QueuedWrite extends PreparedWrite {
  readonly isHidden: boolean
  readonly resolve: (answer: AppendResult) => void
  readonly reject: (error: unknown) => void
}

/** Bounds of one statement, so that a burst does not delay the first of it until the last. */
const MAX_WRITES = 1000
const MAX_BYTES = 4 * 1024 * 1024

export function createGroupAppend(parts: GroupAppendParts): GroupAppend {
  let queue: QueuedWrite[] = []
  let draining: Promise<void> | undefined
  /** Set while a large write is written as JSON; later writes follow it, so that none overtakes another. */
  let preparing: Promise<void> | undefined

  function enqueue(write: Append): Promise<AppendResult> {
    if (!preparing && !isLargeWrite(write.events)) return push(write, toEventRows(write.events))
    const before = preparing
    const rows = (async () => {
      await before
      return await toEventRowsOften(write.events)
    })()
    const own = rows.then(
      () => {},
      () => {},
    )
    preparing = own
    return rows.then(ready => {
      if (preparing === own) preparing = undefined
      return push(write, ready)
    })
  }
  function push(write: Append, prepared: readonly EventRow[]): Promise<AppendResult> {
    const rows = prepared.map(({ n, json }) => ({ n, json: Buffer.from(json) }))
    return new Promise((resolve, reject) => {
      queue.push({ write, rows, ...toKey(write), resolve, reject })
      draining ??= drain()
    })
  }
  async function drain(): Promise<void> {
    // After the callbacks of this turn of the event loop: what they append shares the statement.
    await new Promise(resolve => setImmediate(resolve))
    while (queue.length > 0) {
      const { batch, rest } = takeBatch(queue)
      queue = rest
      const again = await flush(parts, batch)
      if (again.length > 0) queue = [...again, ...queue]
    }
    draining = undefined
  }
  return {
    append: async writes => await Promise.all(writes.map(enqueue)),
    drained: async () => {
      while (preparing || draining) await (preparing ?? draining)
    },
  }
}

const sizeOf = ({ rows }: PreparedWrite): number => rows.reduce((sum, { json }) => sum + json.length, 0)

function toKey(write: Append): { readonly key: string | null; readonly isHidden: boolean } {
  if (write.key !== undefined) return { key: write.key, isHidden: false }
  return write.as ? { key: null, isHidden: false } : { key: `~${randomUUID()}`, isHidden: true }
}

function takeBatch(queue: readonly QueuedWrite[]): {
  readonly batch: readonly QueuedWrite[]
  readonly rest: QueuedWrite[]
} {
  const batch: QueuedWrite[] = []
  const rest: QueuedWrite[] = []
  const taken = new Set<string>()
  let bytes = 0
  for (const one of queue) {
    const id = one.write.session
    if (batch.length >= MAX_WRITES || bytes > MAX_BYTES || taken.has(id)) rest.push(one)
    else {
      bytes += sizeOf(one)
      batch.push(one)
    }
    // Also when it stays behind: nothing of its session may overtake it.
    taken.add(id)
  }
  return { batch, rest }
}

/** Returns the writes that lost a race and must be judged again. */
async function flush(
  parts: GroupAppendParts,
  batch: readonly QueuedWrite[],
): Promise<readonly QueuedWrite[]> {
  let rows: readonly AppendRow[]
  try {
    rows = await run(parts, batch)
  } catch (error) {
    await fail(parts, batch, error)
    return []
  }
  parts.publish(committedOf(batch, rows))
  const again: QueuedWrite[] = []
  for (const row of rows) {
    const one = batch[row.ord]
    const answer = one && toAnswer(one, row)
    if (answer) one.resolve(answer)
    else if (one) again.push(one)
  }
  return again
}

/**
 * An unreachable database fails all of them; otherwise one write is at fault and each is retried alone for its own
 * result.
 */
async function fail(parts: GroupAppendParts, batch: readonly QueuedWrite[], error: unknown): Promise<void> {
  if (batch.length === 1 || isAway(error)) for (const one of batch) one.reject(toAppError(error))
  else for (const one of batch) await flushAlone(parts, one)
}

async function flushAlone(parts: GroupAppendParts, one: QueuedWrite): Promise<void> {
  for (let again = [one]; again.length > 0; ) again = [...(await flush(parts, again))]
}

function isAway(error: unknown): boolean {
  const details = AppError.is(error) ? error.details : undefined
  return (
    typeof details === 'object' && details !== null && 'sqlstate' in details && details.sqlstate === undefined
  )
}

function run(parts: GroupAppendParts, batch: readonly QueuedWrite[]): Promise<readonly AppendRow[]> {
  const { connections, patiently, now } = parts
  const { name, text, values } = toAppendStatement(batch, now ? now() : null)
  return patiently(async () => {
    const { rows } = await connections.writer.query({ name: connections.named(name), text, values })
    return rows as readonly AppendRow[]
  })
}

function toAnswer(one: QueuedWrite, row: AppendRow): AppendResult | undefined {
  if (row.head !== null) return { head: row.head }
  const answer = checkAppend(
    toLookup(row),
    { ...one.write, ...(one.key === null ? {} : { key: one.key }) },
    () => (row.dup === null ? undefined : row.dup),
  )
  // A hidden key is known to this writer alone: an attempt whose result was lost has stored the write.
  if (one.isHidden && answer && 'dup' in answer)
    return { head: answer.dup + Math.max(0, one.write.events.length - 1) }
  return answer
}

function toLookup(row: AppendRow): Lookup<SessionHead> {
  if (row.was_head === null) return 'never'
  if (row.was_deleted) return 'deleted'
  const state: SessionPhase = 'idle'
  return {
    ...newStanding(0),
    state,
    head: row.was_head,
    epoch: row.was_epoch,
    wseq: row.was_wseq,
    whead: row.was_whead,
  }
}

function committedOf(batch: readonly QueuedWrite[], rows: readonly AppendRow[]): readonly PostgresCommit[] {
  const out: PostgresCommit[] = []
  for (const { ord, num, head, epoch } of rows) {
    const one = batch[ord]
    if (!one || num === null || head === null || epoch === null) continue
    const { session, events } = one.write
    const first = head - events.length + 1
    const records = events.map((ev, i) => ({ seq: first + i, epoch, ev }))
    out.push({ id: session, num, head, records, size: sizeOf(one) })
  }
  return out
}
