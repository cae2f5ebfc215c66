/** The session list as SQL. Phrases are narrowed by an index of terms and then compared as text. */
import type { ListQuery, Page, SessionPhase, SessionRow } from '@toolwire/core'
import { decodeListCursor, encodeListCursor } from '../list-cursor.ts'
import { toPhrases } from '../search-terms.ts'
import type { Connections } from './connections.ts'
import { toPgText } from './pg-text.ts'

interface PostgresColumns {
  readonly id: string
  readonly head: number
  readonly epoch: number
  readonly owner: string | null
  readonly state: SessionPhase
  readonly title: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly wake_at: number | null
  readonly created_at: number
  readonly updated_at: number
}

const SELECT = `select s.id, s.head, s.epoch, s.owner, s.state, s.title, s.labels, s.wake_at, s.created_at, s.updated_at
from toolwire.session s`

/** Rejects with AppError('invalid_cursor') for a foreign `after`, else with what the driver throws. */
export async function listSessions(connections: Connections, query: ListQuery): Promise<Page<SessionRow>> {
  const limit = Math.max(0, query.limit)
  const { text, values } = toStatement(query, limit + 1)
  const { rows } = await connections.readers.query(text, values)
  const items = (rows as readonly PostgresColumns[]).slice(0, limit).map(toRow)
  const last = items.at(-1)
  return { items, next: last && rows.length > limit ? encodeListCursor(last) : null }
}

/** The statement for a query. */
export function toStatement(
  query: ListQuery,
  limit: number,
): { readonly text: string; readonly values: unknown[] } {
  const { conditions, values } = toConditions(query)
  values.push(limit)
  const text = `${SELECT} where ${conditions.join(' and ')} order by s.updated_at desc, s.id limit $${values.length}`
  return { text, values }
}

const STATES: Readonly<Record<SessionPhase, string>> = {
  idle: "s.state = 'idle'",
  running: "s.state = 'running'",
  paused: "s.state = 'paused'",
}

function toConditions(query: ListQuery): { readonly conditions: string[]; readonly values: unknown[] } {
  const conditions = ['s.deleted_at is null']
  const values: unknown[] = []
  const value = (given: unknown): string => `$${values.push(given)}`
  // A literal: a prepared statement with a value could not use an index of one state.
  if (query.state !== undefined) conditions.push(STATES[query.state])
  if (query.ids) conditions.push(`s.id = any(${value(query.ids.map(toPgText))}::text[])`)
  if (query.idPrefix !== undefined) conditions.push(`s.id ^@ ${value(toPgText(query.idPrefix))}::text`)
  const { owner, ...others } = query.labels ?? {}
  if (owner !== undefined) conditions.push(`s.labels ->> 'owner' = ${value(toPgText(owner))}`)
  const labels = Object.entries(others).map(([name, label]) => [toPgText(name), toPgText(label)])
  if (labels.length > 0)
    conditions.push(`s.labels @> ${value(JSON.stringify(Object.fromEntries(labels)))}::jsonb`)
  for (const phrase of toPhrases(query.text ?? ''))
    conditions.push(
      `s.num in (select d.session from toolwire.search_doc d where d.lexemes @@ ${value(toTsQuery(phrase))}::tsquery
        and ' ' || d.terms like ${value(`% ${phrase.join(' ')}%`)})`,
    )
  if (query.after !== undefined) {
    const { updatedAt, id } = decodeListCursor(query.after)
    const at = value(updatedAt)
    conditions.push(`(s.updated_at < ${at} or (s.updated_at = ${at} and s.id > ${value(toPgText(id))}))`)
  }
  return { conditions, values }
}

/** Terms hold letters, digits and marks only, so quoting them is all it takes; the last may be a beginning. */
const toTsQuery = (phrase: readonly string[]): string =>
  phrase.map((term, i) => `'${term}'${i === phrase.length - 1 ? ':*' : ''}`).join(' & ')

function toRow(row: PostgresColumns): SessionRow {
  const { id, head, epoch, owner, state, title, labels } = row
  return {
    id,
    head,
    epoch,
    owner,
    state,
    title,
    labels,
    wakeAt: row.wake_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
