/** Appends that were stored while their answer got lost on the way: they are sent again, stored once, and answered. */
import type { Append, AppendResult, Store } from '@toolwire/core'
import { openPostgresStore } from '@toolwire/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../store/test/postgres/test-database.ts'
import { type DroppingProxy, startDroppingProxy } from './dropping-proxy.ts'
import { until } from './fleet.ts'

let database: TestDatabase
let proxy: DroppingProxy
let store: Store
let port: number
beforeEach(async () => {
  database = await createTestDatabase()
  port = Number(new URL(database.url).port)
  proxy = await startDroppingProxy(port)
  const url = new URL(database.url)
  url.port = String(proxy.port)
  store = await openPostgresStore({ url: url.href })
})
afterEach(async () => {
  await store.close()
  proxy.close()
  await database.drop()
})

/** Every append takes a second, so that it can be cut off in its midst. */
const SLOW_APPEND = `
create function public.wait() returns trigger language plpgsql as $$ begin perform pg_sleep(1); return null; end $$;
create trigger slow after insert on toolwire.chunk for each row execute function public.wait()`
const APPENDING = "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"

/** Appends; the database carries it out, and its answer never arrives. */
async function appendLosingTheAnswer(write: Append): Promise<AppendResult | undefined> {
  const heads = () => database.query('select head from toolwire.session')
  const before = await heads()
  await database.query(SLOW_APPEND)
  const answer = store.append([write])
  await until(async () => (await database.query(APPENDING)).length > 0)
  proxy.cut()
  await until(async () => JSON.stringify(await heads()) !== JSON.stringify(before))
  await database.query('drop trigger slow on toolwire.chunk')
  proxy.redirect(port)
  proxy.heal()
  return (await answer)[0]
}

const said = (text: string) => ({ type: 'input.message', ts: '', run_id: text, text }) as never
const runs = async (): Promise<readonly unknown[]> =>
  (await store.read('a', 0, 100)).map(rec => rec.ev.run_id)

test('a write of an owner whose answer is lost is stored once and answered', async () => {
  await store.append([{ session: 'a', create: true, events: [said('1')], state: 'running' }])
  const [claimed] = await store.claim({ node: 'n', ttlMs: 60_000, max: 1 })
  const epoch = claimed?.epoch ?? 0
  const write: Append = { session: 'a', as: { epoch, w: 1 }, events: [said('2'), said('3')] }
  expect(await appendLosingTheAnswer(write)).toEqual({ head: 3 })
  expect(await runs()).toEqual(['1', '2', '3'])
  const [next] = await store.append([{ session: 'a', as: { epoch, w: 2 }, events: [said('4')] }])
  expect(next).toEqual({ head: 4 })
})

test('an input without a key whose answer is lost is stored once and answered', async () => {
  await store.append([{ session: 'a', create: true, events: [said('1')] }])
  const write: Append = { session: 'a', events: [said('2'), said('3')] }
  expect(await appendLosingTheAnswer(write)).toEqual({ head: 3 })
  expect(await runs()).toEqual(['1', '2', '3'])
})
