/** A long conversation is hashed message by message, with turns of the event loop in between. */
import { afterEach, expect, test, vi } from 'vitest'
import { extendChain, startChain } from '../../src/gateway/chain.ts'

afterEach(() => vi.restoreAllMocks())

const MESSAGES = Array.from({ length: 50 }, (_, n) => `message ${n}`)

test('a chain of parts is the chain of the whole, made from texts or from what makes them', async () => {
  const start = startChain('owner')
  const whole = await extendChain(start, MESSAGES)
  const first = await extendChain(start, MESSAGES.slice(0, 20))
  expect(await extendChain(first, MESSAGES.slice(20))).toBe(whole)
  expect(
    await extendChain(
      start,
      MESSAGES.map(message => () => message),
    ),
  ).toBe(whole)
  expect(await extendChain(start, MESSAGES.toReversed())).not.toBe(whole)
})

test('other work runs between two messages that take long', async () => {
  let clock = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (clock += 1000))
  const yielded = vi.spyOn(globalThis, 'setImmediate')
  await extendChain('', MESSAGES)
  expect(yielded.mock.calls.length).toBeGreaterThanOrEqual(MESSAGES.length)
})
