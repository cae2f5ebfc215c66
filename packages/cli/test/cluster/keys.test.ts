/** An Idempotency-Key whose server dies between its claim and the answer: free for another as soon as the lease is over. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Launched } from '../launch.ts'
import { type Fleet, openFleet, readLog, until } from './fleet.ts'

// Servers start slowly on a busy machine.
vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 })

let fleet: Fleet
beforeEach(async () => {
  fleet = await openFleet()
})
afterEach(() => fleet.close())

const ask = (node: Launched): Promise<Response> =>
  fetch(`${node.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
    body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'hello' }] }),
  })

/** Whether the node that claimed the key still has its lease, on the database's clock. */
async function isHeld(): Promise<boolean> {
  const rows = await fleet.database.query(
    `select from toolwire.record r join toolwire.node n on n.id = r.value::json->>'node'
     where r.kind = 'gateway_receipt' and n.lease_until > clock_timestamp()`,
  )
  return rows.length > 0
}

test('kill -9 between the claim of a key and the answer: another server refuses the key during the lease, then answers once', async () => {
  const [first, second] = await Promise.all([fleet.start(), fleet.start()])
  // Nothing can be appended, while leases continue.
  const unlock = await fleet.database.hold('lock table toolwire.chunk in exclusive mode')
  void ask(first).catch(() => {})
  await until(isHeld)
  await until(
    async () =>
      (
        await fleet.database.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
      ).length > 0,
  )
  await first.stop('SIGKILL')
  await fleet.database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  await unlock()
  const early = (await ask(second)).status
  if (await isHeld()) expect(early).toBe(409)
  await until(async () => !(await isHeld()))
  const answer = await ask(second)
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({ choices: [{ finish_reason: 'stop' }] })
  const { items } = await fleet.store.list({ limit: 10 })
  expect(items).toHaveLength(1)
  const log = await readLog(fleet, items[0]?.id ?? '')
  expect(log.filter(rec => rec.ev.type === 'run.started')).toHaveLength(1)
})
