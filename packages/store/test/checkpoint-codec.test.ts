/** A checkpoint as bytes: it comes back whole, or not at all. */
import { createHash } from 'node:crypto'
import { FOLD_VERSION, initial, NO_FACTS } from '@toolwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeCheckpoint, openCheckpoint } from '../src/checkpoints/checkpoint-codec.ts'

const NAME = { session: 's', lineage: '' }
const state = {
  ...initial(),
  head: 7,
  messages: Array.from({ length: 250 }, (_, i) => ({
    role: 'user' as const,
    content: [{ type: 'text' as const, text: `message ${i} \u0000 \ud83e 狐` }],
  })),
}
const encoded = encodeCheckpoint(NAME, { facts: NO_FACTS, seq: 7 }, { anchor: 'a', state })

test('state, facts and position come back, over many pieces of messages', async () => {
  const opened = openCheckpoint(await encoded, NAME)
  expect(opened).toMatchObject({ seq: 7, anchor: 'a' })
  expect(await opened?.facts()).toEqual({ facts: NO_FACTS, seq: 7 })
  expect((await opened?.state())?.state).toEqual(state)
})

test('other work gets its turn between large messages, and between large calls', async () => {
  const text = 'x'.repeat(600_000)
  const call = {
    call_id: 'c',
    name: 'Write',
    message_id: 'm',
    block_id: 'b',
    tool_type: 'builtin',
    executor: 'server',
    input_text: text,
    ready: true,
  } as const
  const large = {
    ...initial(),
    messages: Array.from({ length: 4 }, () => ({
      role: 'user' as const,
      content: [{ type: 'text' as const, text }],
    })),
    calls: Array.from({ length: 4 }, () => call),
  }
  const { stringify } = JSON
  let [written, most] = [0, 0]
  let timer = setImmediate(function turn() {
    written = 0
    timer = setImmediate(turn)
  })
  Object.assign(JSON, {
    stringify(value: unknown) {
      const json = stringify(value)
      written += json.length
      most = Math.max(most, written)
      return json
    },
  })
  try {
    const opened = openCheckpoint(
      await encodeCheckpoint(NAME, { facts: NO_FACTS, seq: 7 }, { anchor: 'a', state: large }),
      NAME,
    )
    expect((await opened?.state())?.state).toEqual(large)
  } finally {
    clearImmediate(timer)
    Object.assign(JSON, { stringify })
  }
  expect(most).toBeLessThan(2 * text.length)
})

test('one of another session or another history is not opened', async () => {
  for (const name of [
    { ...NAME, session: 'other' },
    { ...NAME, lineage: '1-2' },
  ])
    expect(openCheckpoint(await encoded, name)).toBeUndefined()
})

test('one that another version of the folds wrote is not opened, though its hash is right', async () => {
  const bytes = Buffer.from(await encoded)
  const at = bytes.indexOf(FOLD_VERSION)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  createHash('sha256').update(bytes.subarray(32)).digest().copy(bytes)
  expect(openCheckpoint(bytes, NAME)).toBeUndefined()
})

test('a flipped bit or a missing end anywhere is found', async () => {
  const bytes = await encoded
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
      const flipped = Uint8Array.from(bytes)
      flipped[at] = (flipped[at] ?? 0) ^ (1 << bit)
      expect(openCheckpoint(flipped, NAME)).toBeUndefined()
      expect(openCheckpoint(bytes.subarray(0, at), NAME)).toBeUndefined()
    }),
  )
})
