/**
 * The one statement that appends: it locks the sessions in one order, judges every write against
 * what it finds under the lock, and stores what may be stored. At most one write per session.
 *
 * The rules are those of append-rules.ts, written as conditions; what they refuse comes back with the
 * session's standing, and append-rules.ts itself names the refusal. Keys are looked up before the lock is
 * held: a key that another node stored meanwhile violates the primary key, and the next attempt sees it.
 */
import type { Append } from '@toolwire/core'
import { isPreviewOnly } from '../append-rules.ts'
import { toTerms } from '../search-terms.ts'
import { searchTextOf } from '../search-text.ts'
import { toPgText, toPgTextOrNull } from './pg-text.ts'

/** A write on its way: its rows as JSON in UTF-8 and the key under which it can be repeated. */
export interface PreparedWrite {
  readonly write: Append
  readonly rows: readonly { readonly n: number; readonly json: Buffer }[]
  /** The write's own key, or one made up when it has neither key nor owner; null for owners. */
  readonly key: string | null
}

export interface AppendRow {
  readonly ord: number
  /** Set when the write was stored. */
  readonly num: number | null
  readonly head: number | null
  readonly epoch: number | null
  /** Seq of the key if it already existed. */
  readonly dup: number | null
  /** The session as the statement found it; null if it does not exist. */
  readonly was_head: number | null
  readonly was_epoch: number
  readonly was_wseq: number
  readonly was_whead: number
  readonly was_deleted: boolean
}

const NOW = 'coalesce($2::bigint, (extract(epoch from clock_timestamp()) * 1000)::bigint)'

const APPEND = `
with i as materialized (
  select * from unnest($3::int[], $4::text[], $5::int[], $6::int[], $7::text[], $8::int[],
    $9::text[], $10::bigint[], $11::boolean[], $12::text[], $13::text[], $14::boolean[], $15::bigint[], $16::boolean[])
  as t(ord, id, epoch, w, key, n, state, release, make, title, labels, has_wake, wake_at, touch)
), locked as materialized (
  select i.ord, s.num, s.head, s.epoch, s.wseq, s.whead, s.deleted_at is not null as deleted
  from i join toolwire.session s on s.id = i.id order by s.num for no key update of s
), dup as materialized (
  select i.ord, k.seq from i join toolwire.session s on s.id = i.id
  join toolwire.input_key k on k.session = s.num and k.key = i.key
), judged as materialized (
  select i.*, locked.num, dup.seq as dup, ${NOW} as now
  from i left join locked using (ord) left join dup using (ord)
), made as (
  insert into toolwire.session as s(id, head, wseq, whead, state, title, labels, wake_at, created_at, updated_at)
  select id, n, coalesce(w, 0), case when w is null then 0 else n end, coalesce(state, 'idle'), title,
    jsonb_strip_nulls(coalesce(labels, '{}')::jsonb), wake_at, now, now
  from judged where make and num is null and (epoch is null or (epoch = 0 and w = 1)) and coalesce(release, 0) = 0
  order by id
  on conflict (id) do nothing returning s.num, s.id, s.head, s.epoch
), moved as (
  update toolwire.session s set
    head = s.head + j.n,
    wseq = coalesce(j.w, s.wseq),
    whead = case when j.w is null then s.whead else s.head + j.n end,
    state = coalesce(j.state, s.state),
    owner = case when j.release is null then s.owner end,
    title = coalesce(j.title, s.title),
    labels = case when j.labels is null then s.labels else jsonb_strip_nulls(s.labels || j.labels::jsonb) end,
    wake_at = case when j.has_wake then j.wake_at else s.wake_at end,
    updated_at = case when j.touch then j.now else s.updated_at end
  from judged j
  where s.num = j.num and not j.make and j.dup is null and s.deleted_at is null
    and (j.epoch is null or (s.epoch = j.epoch and s.wseq = j.w - 1)) and (j.release is null or s.head = j.release)
  returning j.ord, s.num, s.head, s.epoch
), done as materialized (
  select ord, num, head, epoch from moved
  union all select i.ord, made.num, made.head, made.epoch from made join i on i.id = made.id
), stored as (
  insert into toolwire.chunk(session, seq, n, epoch, packed, data)
  select d.num, d.head - i.n + 1 + r.before, r.n, d.epoch, false, substring($1::bytea from r.at for r.size)
  from done d join i using (ord)
  join unnest($17::int[], $18::int[], $19::int[], $20::int[], $21::int[]) as r(ord, before, n, at, size) using (ord)
), keyed as (
  insert into toolwire.input_key(session, key, seq)
  select d.num, i.key, case i.n when 0 then d.head else d.head - i.n + 1 end
  from done d join i using (ord) where i.key is not null
)`
const SEARCH = `, untitled as (
  delete from toolwire.search_doc x using done d join i using (ord)
  where i.title is not null and x.is_title and x.session = d.num
), found as (
  insert into toolwire.search_doc(session, is_title, terms, lexemes)
  select d.num, f.is_title, f.terms, array_to_tsvector(string_to_array(f.terms, ' '))
  from unnest($22::int[], $23::boolean[], $24::text[]) as f(ord, is_title, terms) join done d using (ord)
)`
const ANSWER = `
select i.ord, d.num, d.head, d.epoch, dup.seq as dup, l.head as was_head, l.epoch as was_epoch,
  l.wseq as was_wseq, l.whead as was_whead, l.deleted as was_deleted
from i left join done d using (ord) left join dup using (ord) left join locked l using (ord)`

/** Terms of one search row; longer texts take several, which overlap so that most phrases lie within one. */
const TERMS = 10_000
const OVERLAP = 50

export interface Statement {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
}

/** The statement for these writes; `ord` in its rows is their place. `now` replaces the database's clock. */
export function toAppendStatement(batch: readonly PreparedWrite[], now: number | null): Statement {
  const data = Buffer.concat(batch.flatMap(one => one.rows.map(row => row.json)))
  const rows = toPlacedRows(batch)
  const writes = batch.map(one => one.write)
  const column = <T>(pick: (write: Append) => T): T[] => writes.map(pick)
  const values: unknown[] = [
    data,
    now,
    batch.map((_, ord) => ord),
    column(write => toPgText(write.session)),
    column(write => write.as?.epoch ?? null),
    column(write => write.as?.w ?? null),
    batch.map(one => (one.key === null ? null : toPgText(one.key))),
    column(write => write.events.length),
    column(write => write.state ?? null),
    column(write => write.releaseIfHead ?? null),
    column(write => write.create === true),
    column(write => toPgTextOrNull(write.index?.title)),
    column(write => toLabels(write.index?.labels)),
    column(write => write.index?.wakeAt !== undefined),
    column(write => write.index?.wakeAt ?? null),
    column(write => !isPreviewOnly(write)),
    rows.map(row => row.ord),
    rows.map(row => row.before),
    rows.map(row => row.n),
    rows.map(row => row.at),
    rows.map(row => row.size),
  ]
  const texts = writes.map(searchTextOf)
  const isSearched = writes.some((write, ord) => write.index?.title !== undefined || texts[ord] !== undefined)
  if (!isSearched) return { name: 'toolwire-append', text: APPEND + ANSWER, values }
  const docs = writes.flatMap(({ index }, ord) => [
    ...toDocs(ord, index?.title, true),
    ...toDocs(ord, texts[ord], false),
  ])
  values.push(
    docs.map(doc => doc.ord),
    docs.map(doc => doc.isTitle),
    docs.map(doc => doc.terms),
  )
  return { name: 'toolwire-append-search', text: APPEND + SEARCH + ANSWER, values }
}

interface PlacedRow {
  readonly ord: number
  /** Events of the same write before it. */
  readonly before: number
  readonly n: number
  /** Its start in the bytes of the statement, 1-based. */
  readonly at: number
  readonly size: number
}

function toPlacedRows(batch: readonly PreparedWrite[]): readonly PlacedRow[] {
  const placed: PlacedRow[] = []
  let at = 1
  for (const [ord, { rows }] of batch.entries()) {
    let before = 0
    for (const { n, json } of rows) {
      placed.push({ ord, before, n, at, size: json.length })
      before += n
      at += json.length
    }
  }
  return placed
}

function toLabels(labels: Readonly<Record<string, string | null>> | undefined): string | null {
  if (!labels) return null
  const entries = Object.entries(labels).map(([name, value]) => [
    toPgText(name),
    value === null ? null : toPgText(value),
  ])
  return JSON.stringify(Object.fromEntries(entries))
}

interface Doc {
  readonly ord: number
  readonly isTitle: boolean
  readonly terms: string
}

const toDocs = (ord: number, text: string | undefined, isTitle: boolean): readonly Doc[] =>
  toSlices(toTerms(text ?? '')).map(terms => ({ ord, isTitle, terms: terms.join(' ') }))

function toSlices(terms: readonly string[]): readonly (readonly string[])[] {
  const slices: (readonly string[])[] = []
  for (let from = 0; from < terms.length; from += TERMS)
    slices.push(terms.slice(from, from + TERMS + OVERLAP))
  return slices
}
