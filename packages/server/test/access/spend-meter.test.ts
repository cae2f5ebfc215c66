/** Model usage is charged to the key that started the run, and to no other; budgets are based on that. */
import type { SessionEvent } from '@toolwire/core'
import { createMemoryRecords, createMemoryStore } from '@toolwire/store'
import { expect, it } from 'vitest'
import { createSpendMeter } from '../../src/access/spend-meter.ts'
import { readSpending } from '../../src/access/spending.ts'

const usage = { input: 3, output: 2, cache_read: 1, cache_write: 4, reasoning: 0 }
const turn = (type: string, run_id: string, cost_usd?: number): SessionEvent =>
  ({
    type,
    ts: '',
    run_id,
    usage,
    ...(cost_usd === undefined ? {} : { cost_usd }),
  }) as unknown as SessionEvent
/** `key` null: a request without one; undefined: no request. */
const begin = (run_id: string, key: string | null | undefined, more: object = {}): SessionEvent =>
  ({
    type: 'run.started',
    ts: '',
    run_id,
    ...(key === undefined ? {} : { via: { protocol: 'chat', ...(key === null ? {} : { key }) } }),
    ...more,
  }) as unknown as SessionEvent

function setUp() {
  const records = createMemoryRecords()
  const store = createMemoryStore()
  const failed: unknown[] = []
  const meter = createSpendMeter(store, records, error => failed.push(error))
  /** As the owner of a session writes. */
  const write = (session: string, ...events: SessionEvent[]) =>
    meter.observe({ session, events, as: { epoch: 1, w: 1 } }, { head: 1 }, 1)
  /** A session that other processes wrote. */
  const keep = async (session: string, labels: Record<string, string>, ...events: SessionEvent[]) =>
    void (await store.append([{ session, create: true, events, index: { labels } }]))
  const usd = async (key: string): Promise<number> => (await readSpending(records, key)).usd
  return { records, store, failed, meter, write, keep, usd }
}

it('a whole answer, and a half one, are charged to the key of their run; one without a price is counted', async () => {
  const { records, meter, write } = setUp()
  write('a', begin('r1', 'ann'))
  write('b', begin('r2', 'bob'))
  write('c', begin('r3', null))
  write('a', turn('turn.completed', 'r1', 0.25))
  write('a', turn('message.aborted', 'r1', 0.5))
  write('b', turn('turn.completed', 'r2'))
  write('c', turn('turn.completed', 'r3', 9))
  // Not stored, so it never happened.
  meter.observe(
    { session: 'a', events: [turn('turn.completed', 'r1', 9)], as: { epoch: 1, w: 1 } },
    { fenced: 2 },
    1,
  )
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

it('a key pays for its own runs in a session that another key made, and for the agents in them', async () => {
  const { meter, write, keep, usd } = setUp()
  await keep('a', { api_key: 'ann' })
  write('a', begin('r1', 'ann'), turn('turn.completed', 'r1', 1))
  // A subagent's run has the id of its root's, and starts nothing separate.
  write('a', begin('r2', 'bob'), begin('r2', 'ann', { agent_run_id: 'agent_1' }))
  write('a', { ...turn('turn.completed', 'r2', 2), agent_run_id: 'agent_1' })
  await meter.settled()
  expect([await usd('ann'), await usd('bob')]).toEqual([1, 2])
})

it('a run that another process started is found in the log, and one without a request belongs to the key of the one before', async () => {
  const { meter, write, keep, usd } = setUp()
  const notice = begin('r3', undefined)
  await keep('a', { api_key: 'ann' }, begin('r1', 'ann'), begin('r2', 'bob'), notice, begin('r4', 'ann'))
  write('a', turn('turn.completed', 'r2', 1))
  write('a', turn('turn.completed', 'r3', 2))
  await meter.settled()
  expect([await usd('ann'), await usd('bob')]).toEqual([0, 3])
})

it('what began before keys were noted is of the key that made the session', async () => {
  const { meter, write, keep, usd } = setUp()
  await keep('old', { api_key: 'ann' })
  write('old', turn('turn.completed', 'r1', 1))
  write('old', begin('r2', null), turn('turn.completed', 'r2', 1))
  await meter.settled()
  expect(await usd('ann')).toBe(2)
})

it('a copy of a conversation costs nothing', async () => {
  const { meter, usd } = setUp()
  const events = [begin('r1', 'ann'), turn('turn.completed', 'r1', 1)]
  meter.observe({ session: 'copy', create: true, events }, { head: 2 }, 1)
  await meter.settled()
  expect(await usd('ann')).toBe(0)
})

it('a charge that cannot be stored is reported, and fails no request', async () => {
  const { records, failed, meter, write } = setUp()
  records.update = () => Promise.reject(new Error('full'))
  write('a', begin('r1', 'ann'), turn('turn.completed', 'r1', 1))
  await meter.settled()
  expect(failed).toHaveLength(1)
})
