/** The plans of statements that run often: none reads all sessions. Pinned by their plan, not by time. */
import { DatabaseSync } from 'node:sqlite'
import type { ListQuery, Store } from '@toolwire/core'
import { openSqliteStore } from '@toolwire/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSessionLister, toStatement } from '../src/sqlite/list-sessions.ts'
import { FORGET_OWNERS } from '../src/sqlite/prepare-database.ts'
import { FIND_OLD, FIND_WORK } from '../src/sqlite/reader.ts'
import { createStatementClient } from '../src/sqlite/statement-client.ts'
import { COUNT_OLD } from '../src/sqlite/statistics.ts'
import { create } from './contract/session-calls.ts'
import { message, note } from './events.ts'
import { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts'

let folder: TemporaryFolder
let store: Store
let db: DatabaseSync
beforeAll(async () => {
  folder = await makeTemporaryFolder()
  store = await openSqliteStore({ dir: folder.path })
  db = new DatabaseSync(folder.file, { readOnly: true })
})
afterAll(async () => {
  db.close()
  await store.close()
  await folder.remove()
})

const planOf = (sql: string, values: readonly (string | number)[]): readonly string[] =>
  db
    .prepare(`explain query plan ${sql}`)
    .all(...values)
    .map(row => String(row['detail']))

/** Steps that read a whole table, or a whole index of all sessions. */
const scansIn = (plan: readonly string[]): readonly string[] =>
  plan.filter(step => /^SCAN (s|session|chunk|label)\b/.test(step))

describe('no statement scans all sessions', () => {
  for (const [name, sql, values] of [
    ['sessions to be claimed', FIND_WORK, [1, 'node', 100]],
    ['sessions to be pruned', FIND_OLD, [1, 50]],
    ['a count of sessions to be pruned', COUNT_OLD, [1]],
    ['owners of an earlier process', FORGET_OWNERS, []],
    ['sessions that run', "select count(*) as sessions from session where state = 'running'", []],
    ['sessions that wait', "select count(*) as sessions from session where state = 'paused'", []],
  ] as const)
    test(name, () => {
      const plan = planOf(sql, values)
      // An index of one state holds the sessions in that state alone.
      const scans = scansIn(plan).filter(step => !/INDEX session_(running|paused)\b/.test(step))
      expect([scans, plan.join('; ')]).toEqual([[], plan.join('; ')])
    })

  const LISTS: Readonly<Record<string, Omit<ListQuery, 'limit'>>> = {
    'of paused sessions': { state: 'paused' },
    'of paused sessions of an owner': { state: 'paused', labels: { owner: 'a' } },
    'of an owner': { labels: { owner: 'a' } },
    'by a label': { labels: { gateway_chain: 'x' } },
    'by a label of an owner': { labels: { owner: 'a', gateway_chain: 'x' } },
    'by ids': { ids: ['a', 'b'] },
    'by ids of an owner': { ids: ['a', 'b'], labels: { owner: 'a' } },
    'by the start of an id': { idPrefix: 'a' },
    'by words': { text: 'hello' },
  }
  for (const [name, query] of Object.entries(LISTS))
    test(`a list ${name}`, () => {
      const { sql, values } = toStatement({ ...query, limit: 10 })
      const plan = planOf(sql, [...values, 11])
      const scans = scansIn(plan).filter(step => !/INDEX session_(running|paused)\b/.test(step))
      expect([scans, plan.join('; ')]).toEqual([[], plan.join('; ')])
    })

  for (const state of ['running', 'paused'] as const)
    for (const labels of [undefined, { owner: 'a' }])
      test(`a list of ${state} sessions ${labels ? 'of an owner ' : ''}reads only sessions in that state`, () => {
        const { sql, values } = toStatement({ state, ...(labels ? { labels } : {}), limit: 10 })
        expect(planOf(sql, [...values, 11]).join('; ')).toContain(`USING INDEX session_${state}`)
      })

  for (const [name, query] of Object.entries({
    'of all sessions': {},
    'of idle sessions': { state: 'idle' as const },
    'of an owner': { labels: { owner: 'a' } },
  }))
    test(`a list ${name} is read in its order, so that it ends at its limit`, () => {
      const { sql, values } = toStatement({ ...query, limit: 10 })
      expect(planOf(sql, [...values, 11]).join('; ')).not.toMatch(/TEMP B-TREE FOR ORDER BY/)
    })
})

test('only searches are given to the statement thread', async () => {
  await create(store, 'found', { index: { title: 'hello there' } })
  const asked: string[] = []
  const thread = createStatementClient(folder.file)
  const lister = createSessionLister(db, {
    ...thread,
    all: (sql, ...values) => {
      asked.push(sql)
      return thread.all(sql, ...values)
    },
  })
  try {
    expect((await lister.list({ state: 'idle', limit: 10 })).items).toHaveLength(1)
    expect(asked).toEqual([])
    expect((await lister.list({ text: 'hello', limit: 10 })).items).toHaveLength(1)
    expect(asked).toHaveLength(1)
  } finally {
    await thread.close()
  }
})

test('counters equal what is stored, after writes, folds and removals', async () => {
  const counted = (): unknown =>
    db
      .prepare(
        `select (select count(*) from session) as sessions, (select count(*) from chunk) as chunks,
           (select coalesce(sum(n), 0) from chunk) as events`,
      )
      .get()
  const totals = (): unknown => db.prepare('select sessions, chunks, events from total').get()
  for (let i = 0; i < 5; i++) {
    await create(store, `c${i}`, { events: [note(i)] })
    await store.append([{ session: `c${i}`, events: message('m', 20) }])
  }
  await store.remove('c0')
  await expect
    .poll(() => db.prepare("select count(*) as n from chunk where typeof(data) = 'blob'").get()?.['n'])
    .toBeGreaterThan(0)
  const stats = await store.stats()
  expect(totals()).toEqual(counted())
  expect(totals()).toMatchObject({ sessions: stats.sessions, events: stats.events })
})
