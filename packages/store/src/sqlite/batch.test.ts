import type { Append, SessionEvent } from '@toolwire/core'
import { expect, test } from 'vitest'
import { toEventRows } from '../event-rows.ts'
import { createBatch } from './batch.ts'
import { createDeferred } from './deferred.ts'
import type { Live, Reader } from './reader.ts'
import type { SessionCache } from './session-cache.ts'
import { createUnsettled } from './unsettled.ts'

const fact: SessionEvent = { type: 'note', ts: '', name: 'n', value: 1 }
const preview: SessionEvent = { type: 'block.delta', ts: '', block_id: 'b', offset: 0, text: 'x' }

function batchOf(
  writes: readonly Omit<Append, 'session'>[],
): ReturnType<ReturnType<typeof createBatch>['toRequest']> {
  const live: Live = {
    num: 7,
    id: 'a',
    head: 4,
    epoch: 2,
    wseq: 0,
    whead: 0,
    owner: 'n',
    state: 'running',
    wakeAt: null,
    updatedAt: 0,
  }
  const cache = { find: () => live } as unknown as SessionCache
  const batch = createBatch(cache, { seqOfKey: () => undefined } as unknown as Reader)
  for (const write of writes) batch.add({ session: 'a', ...write }, toEventRows(write.events), 1)
  return batch.toRequest(createUnsettled(), createDeferred())
}

test("owners' previews make a flush that waits for no disk and touches no session row", () => {
  const writes = [1, 2].map(w => ({ as: { epoch: 2, w }, events: [preview] }))
  const text = JSON.stringify(preview)
  expect(batchOf(writes)).toEqual({
    type: 'flush',
    durable: false,
    chunks: [{ session: 7, seq: 5, n: 2, epoch: 2, w: 2, json: `[${text},${text}]` }],
    sessions: [],
  })
})

test.each([
  ['a fact of the owner', { as: { epoch: 2, w: 1 }, events: [fact] }],
  ['an input', { events: [fact], key: 'k' }],
  ['a change of state alone', { as: { epoch: 2, w: 1 }, events: [], state: 'idle' as const }],
  ['previews and a fact', { as: { epoch: 2, w: 1 }, events: [preview, fact] }],
])('%s makes a flush that waits for the disk', (_, write) => {
  expect(batchOf([{ as: { epoch: 2, w: 9 }, events: [preview] }, write])).toMatchObject({ durable: true })
})

test('a batch of refused writes asks for nothing', () => {
  expect(batchOf([{ as: { epoch: 1, w: 1 }, events: [fact] }])).toBe(undefined)
})

test('all that one session gets in a flush shares one row', () => {
  const request = batchOf([
    { as: { epoch: 2, w: 1 }, events: [preview] },
    { events: [fact], key: 'k' },
    { as: { epoch: 2, w: 2 }, events: [fact] },
  ])
  expect(request).toMatchObject({
    chunks: [{ session: 7, seq: 5, n: 3, epoch: 2 }],
    sessions: [{ head: 7, wseq: 2, whead: 7, keys: [{ key: 'k', seq: 6 }] }],
  })
})
