/** Plans of the statements that run often, over many sessions: none reads the whole table of sessions. */
import type { ListQuery, Store } from '@toolwire/core'
import { openPostgresStore } from '@toolwire/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BY_NEED } from '../../src/postgres/claim-sessions.ts'
import { toStatement } from '../../src/postgres/list-sessions.ts'
import { COUNT_OLD, FIND_OLD } from '../../src/postgres/maintain.ts'
import { COUNT_ACTIVE, COUNT_LIVE } from '../../src/postgres/statistics.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

const SESSIONS = 20_000

let database: TestDatabase
let store: Store
beforeAll(async () => {
  database = await createTestDatabase()
  store = await openPostgresStore({ url: database.url })
  await database.query(
    `insert into toolwire.session(id, head, labels, created_at, updated_at, state)
     select 's' || i, 3, jsonb_build_object('owner', 'o' || i % 5, 'gateway_chain', 'c' || i), i, i,
       case when i % 1000 = 0 then 'paused' when i % 1001 = 0 then 'running' else 'idle' end
     from generate_series(1, ${SESSIONS}) i`,
  )
  await database.query('vacuum analyze toolwire.session')
})
afterAll(async () => {
  await store.close()
  await database.drop()
})

async function planOf(text: string, values: readonly unknown[]): Promise<string> {
  const rows = await database.query(`explain ${text}`, [...values])
  return rows.map(row => String(row['QUERY PLAN'])).join('\n')
}
const SCAN = /Seq Scan on (session|chunk)\b/

describe('no statement scans all sessions', () => {
  for (const [name, text, values] of [
    ['sessions to be claimed', BY_NEED, ['node', 1000, 1, 100, []]],
    ['sessions to be pruned', FIND_OLD, [100, 50]],
    ['a count of the sessions to be pruned', COUNT_OLD, [100]],
    ['sessions that run and wait', COUNT_ACTIVE, []],
    ['statistics', COUNT_LIVE, []],
  ] as const)
    test(name, async () => {
      expect(await planOf(text, values)).not.toMatch(SCAN)
    })

  const LISTS: Readonly<Record<string, Omit<ListQuery, 'limit'>>> = {
    'of all sessions': {},
    'of paused sessions': { state: 'paused' },
    'of running sessions': { state: 'running' },
    'of an owner': { labels: { owner: 'o1' } },
    'by a label': { labels: { gateway_chain: 'c77' } },
    'by ids': { ids: ['s1', 's2'] },
    'by the start of an id': { idPrefix: 's123' },
  }
  for (const [name, query] of Object.entries(LISTS))
    test(`a list ${name}`, async () => {
      const { text, values } = toStatement({ ...query, limit: 10 }, 11)
      expect(await planOf(text, values)).not.toMatch(SCAN)
    })

  for (const state of ['running', 'paused'] as const)
    for (const labels of [undefined, { owner: 'o1' }])
      test(`a list of ${state} sessions ${labels ? 'of an owner ' : ''}reads only sessions in that state`, async () => {
        const { text, values } = toStatement({ state, ...(labels ? { labels } : {}), limit: 10 }, 11)
        expect(await planOf(text, values)).toContain(`session_${state}`)
      })

  test('a list of an owner is read in its order, so that it ends at its limit', async () => {
    const { text, values } = toStatement({ labels: { owner: 'o1' }, limit: 10 }, 11)
    expect(await planOf(text, values)).not.toMatch(/Sort Key/)
  })
})

test('statistics of many sessions are estimates and say so', async () => {
  const stats = await store.stats()
  expect(stats).toMatchObject({ sessions: SESSIONS, events: SESSIONS * 3, isEstimate: true })
  expect(stats.byState).toMatchObject({ paused: 20 })
  expect(await store.prune({ before: 101, dryRun: true })).toBe(100)
})
