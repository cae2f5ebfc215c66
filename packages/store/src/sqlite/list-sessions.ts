/** The session list as SQL: one statement per shape of query, each kept prepared. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { ListQuery, Page, SessionPhase, SessionRow } from '@toolwire/core'
import { decodeListCursor, encodeListCursor } from '../list-cursor.ts'
import { toPhrases } from '../search-terms.ts'
import { createRowMemory, type SessionRowCache } from './row-memory.ts'
import type { StatementClient } from './statement-client.ts'
import { withStorageErrors } from './storage-errors.ts'

type Value = string | number

interface SqliteColumns {
  readonly num: number
  readonly id: string
  readonly head: number
  readonly epoch: number
  readonly owner: string | null
  readonly state: SessionPhase
  readonly title: string | null
  readonly labels: string
  readonly wake_at: number | null
  readonly created_at: number
  readonly updated_at: number
}

const SELECT = `select s.num, s.id, s.epoch, s.owner, s.state, s.title, s.labels, s.wake_at, s.created_at, s.updated_at,
  max(s.head, coalesce((select c.seq + c.n - 1 from chunk c where c.session = s.num order by c.seq desc limit 1), 0)) as head
from session s`
const HAS_PHRASE =
  's.num in (select d.session from search f join search_doc d on d.doc = f.rowid where f.terms match ?)'
const HAS_LABEL = 's.num in (select l.session from label l where l.name = ? and l.value = ?)'
/** For a few sessions that are known by their ids: a list of all that carry the label would be longer. */
const CARRIES_LABEL = 'exists (select 1 from label l where l.session = s.num and l.name = ? and l.value = ?)'

const STATES: Readonly<Record<SessionPhase, string>> = {
  idle: "s.state = 'idle'",
  running: "s.state = 'running'",
  paused: "s.state = 'paused'",
}

/** More shapes than this are not kept: a query of many words is rare. */
const MAX_STATEMENTS = 100

export interface SessionLister {
  /** Rejects with AppError('invalid_cursor') for a foreign `after`. Searches run on the statement thread. */
  readonly list: (query: ListQuery) => Promise<Page<SessionRow>>
  /** Receives everything that is committed. */
  readonly follow: SessionRowCache['follow']
}

export function createSessionLister(db: DatabaseSync, thread: StatementClient): SessionLister {
  const memory = createRowMemory()
  const statements = new Map<string, StatementSync>()

  function prepare(sql: string): StatementSync {
    const known = statements.get(sql)
    if (known) return known
    if (statements.size >= MAX_STATEMENTS) statements.clear()
    const statement = db.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  const run = withStorageErrors((sql: string, ...values: readonly Value[]) => prepare(sql).all(...values))

  async function select(query: ListQuery): Promise<Page<SessionRow>> {
    const limit = Math.max(0, query.limit)
    const { sql, values, isSearch } = toStatement(query)
    const found = isSearch ? await thread.all(sql, ...values, limit + 1) : run(sql, ...values, limit + 1)
    const rows = found as unknown as readonly SqliteColumns[]
    const items = rows.slice(0, limit).map(toRow)
    const last = items.at(-1)
    return { items, next: last && rows.length > limit ? encodeListCursor(last) : null }
  }

  function findOne(id: string): SessionRow | undefined {
    const known = memory.find(id)
    if (known) return known
    const [columns] = run(`${SELECT} where s.id = ?`, id) as unknown as readonly SqliteColumns[]
    if (!columns) return undefined
    const row = toRow(columns)
    memory.keep({ ...row, num: columns.num })
    return row
  }

  async function list(query: ListQuery): Promise<Page<SessionRow>> {
    const id = onlyId(query)
    if (id === undefined) return await select(query)
    const row = findOne(id)
    return { items: row && carries(row, query.labels ?? {}) ? [row] : [], next: null }
  }
  return { list, follow: memory.follow }
}

/** The session that a query names when it asks for nothing else, but for labels that the session must carry. */
function onlyId(query: ListQuery): string | undefined {
  const { ids, limit, labels: _, ...others } = query
  const isPlain = Object.values(others).every(value => value === undefined)
  return isPlain && ids?.length === 1 && limit > 0 ? ids[0] : undefined
}

const carries = (row: SessionRow, labels: Readonly<Record<string, string>>): boolean =>
  Object.entries(labels).every(([name, value]) => row.labels[name] === value)

/** The statement for a query; its last value is the limit. */
export function toStatement(query: ListQuery): {
  readonly sql: string
  readonly values: readonly Value[]
  readonly isSearch: boolean
} {
  const { conditions, values } = toConditions(query)
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  const isFew = query.ids !== undefined || query.idPrefix !== undefined || isActive(query)
  // The plus keeps SQLite from reading all sessions in this order to find a few.
  const order = `order by ${isFew ? '+' : ''}s.updated_at desc, s.id`
  return {
    sql: `${SELECT} ${where} ${order} limit ?`,
    values,
    isSearch: toPhrases(query.text ?? '').length > 0,
  }
}

/** Sessions that run or wait have separate indexes: they are few, also where their owner has many. */
const isActive = ({ state }: ListQuery): boolean => state === 'running' || state === 'paused'

function toConditions(query: ListQuery): {
  readonly conditions: readonly string[]
  readonly values: readonly Value[]
} {
  const conditions: string[] = []
  const values: Value[] = []
  function add(condition: string, ...own: readonly Value[]): void {
    conditions.push(condition)
    values.push(...own)
  }
  // A literal, because only that lets SQLite use an index of the sessions in one state.
  if (query.state !== undefined) add(STATES[query.state])
  if (query.ids) add('s.id in (select value from json_each(?))', JSON.stringify(query.ids))
  if (query.idPrefix !== undefined)
    add('s.id >= ? and s.id < ? || char(1114111)', query.idPrefix, query.idPrefix)
  const hasLabel = query.ids ? CARRIES_LABEL : HAS_LABEL
  for (const [key, value] of Object.entries(query.labels ?? {})) {
    if (key === 'owner') add(`${isActive(query) ? '+' : ''}(s.labels ->> '$.owner') = ?`, value)
    else add(hasLabel, key, value)
  }
  for (const phrase of toPhrases(query.text ?? '')) add(HAS_PHRASE, `"${phrase.join(' ')}" *`)
  if (query.after !== undefined) {
    const { updatedAt, id } = decodeListCursor(query.after)
    add('(s.updated_at < ? or (s.updated_at = ? and s.id > ?))', updatedAt, updatedAt, id)
  }
  return { conditions, values }
}

function toRow(row: SqliteColumns): SessionRow {
  const { id, head, epoch, owner, state, title } = row
  return {
    id,
    head,
    epoch,
    owner,
    state,
    title,
    labels: JSON.parse(row.labels) as Record<string, string>,
    wakeAt: row.wake_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
