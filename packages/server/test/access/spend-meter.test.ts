/** What models take is charged to the key that made the session, and nobody else; budgets are made of that. */
import type { SessionEvent } from '@toolwire/core'
import { createMemoryRecords, createMemoryStore } from '@toolwire/store'
import { expect, it } from 'vitest'
import { createSpendMeter } from '../../src/access/spend-meter.ts'
import { readSpending } from '../../src/access/spending.ts'

const usage = { input: 3, output: 2, cache_read: 1, cache_write: 4, reasoning: 0 }
const turn = (type: string, cost_usd?: number): SessionEvent =>
  ({ type, ts: '', usage, ...(cost_usd === undefined ? {} : { cost_usd }) }) as unknown as SessionEvent

function setUp() {
  const records = createMemoryRecords()
  const store = createMemoryStore()
  const failed: unknown[] = []
  const meter = createSpendMeter(store, records, error => failed.push(error))
  const create = (session: string, labels: Record<string, string>) =>
    meter.observe({ session, create: true, events: [], index: { labels } }, { head: 0 }, 1)
  return { records, store, failed, meter, create }
}

it('a whole answer, and a half one, are charged to the key of their session; one without a price is counted', async () => {
  const { records, meter, create } = setUp()
  create('a', { api_key: 'ann' })
  create('b', { api_key: 'bob' })
  create('c', {})
  meter.observe({ session: 'a', events: [turn('turn.completed', 0.25)] }, { head: 1 }, 1)
  meter.observe({ session: 'a', events: [turn('message.aborted', 0.5)] }, { head: 2 }, 1)
  meter.observe({ session: 'b', events: [turn('turn.completed')] }, { head: 1 }, 1)
  meter.observe({ session: 'c', events: [turn('turn.completed', 9)] }, { head: 1 }, 1)
  // Not stored, so it never happened.
  meter.observe({ session: 'a', events: [turn('turn.completed', 9)] }, { fenced: 2 }, 1)
  await meter.settled()
  expect(await readSpending(records, 'ann')).toEqual({
    usd: 0.75,
    input_tokens: 16,
    output_tokens: 4,
    unpriced_turns: 0,
  })
  expect(await readSpending(records, 'bob')).toMatchObject({ usd: 0, output_tokens: 2, unpriced_turns: 1 })
  expect((await records.list('spending')).map(({ id }) => id).toSorted()).toEqual(['ann', 'bob'])
})

it('the key of a session of an earlier start is found in the store', async () => {
  const { records, store, meter } = setUp()
  await store.append([{ session: 'old', create: true, events: [], index: { labels: { api_key: 'ann' } } }])
  meter.observe({ session: 'old', events: [turn('turn.completed', 1)] }, { head: 1 }, 1)
  await meter.settled()
  expect((await readSpending(records, 'ann')).usd).toBe(1)
})

it('a charge that cannot be stored is told, and disturbs nobody', async () => {
  const { records, failed, meter, create } = setUp()
  create('a', { api_key: 'ann' })
  records.update = () => Promise.reject(new Error('full'))
  meter.observe({ session: 'a', events: [turn('turn.completed', 1)] }, { head: 1 }, 1)
  await meter.settled()
  expect(failed).toHaveLength(1)
})
