/** Messages in blocks: the same bytes as JSON in one piece, and each message written once. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toMessagePieces } from '../../src/shared/message-blocks.ts'

const messagesOf = (count: number, text = 'ü'): readonly object[] =>
  Array.from({ length: count }, (_, i) => ({ role: 'user', content: `${text} ${i}` }))

async function joined(
  messages: readonly object[],
  write: (value: unknown) => string = JSON.stringify,
): Promise<string> {
  const { blocks, rest } = await toMessagePieces(messages, write)
  return `[${blocks.map(String).join('')}${rest}]`
}

/** Writes and adds up how often. */
function counted() {
  const count = { written: 0 }
  const write = (value: unknown): string => {
    count.written += 1
    return JSON.stringify(value)
  }
  return { count, write }
}

describe('messages in blocks', () => {
  test('give the same JSON while a history grows, shrinks, and changes anywhere', async () => {
    const edit = fc.record({ length: fc.nat(400), changed: fc.array(fc.nat(399), { maxLength: 3 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 6 }), async edits => {
        const all = [...messagesOf(400)]
        for (const { length, changed } of edits) {
          for (const at of changed) all[at] = { role: 'assistant', content: `other ${at}` }
          const messages = all.slice(0, length)
          expect(await joined(messages)).toBe(JSON.stringify(messages))
        }
      }),
    )
  })

  test('share their bytes between requests of one history', async () => {
    const all = messagesOf(500)
    const { blocks: early } = await toMessagePieces(all.slice(0, 300), JSON.stringify)
    const { blocks: late } = await toMessagePieces(all, JSON.stringify)
    expect(early.length).toBeGreaterThan(3)
    for (const [i, bytes] of early.entries()) expect(late[i]).toBe(bytes)
  })

  test('write each message of a growing history once, however long it is', async () => {
    const { count, write } = counted()
    const all = messagesOf(1000)
    for (let length = 1; length <= all.length; length++) await joined(all.slice(0, length), write)
    expect(count.written).toBe(all.length)
  })

  test('leave at most 80 messages outside of blocks', async () => {
    for (const length of [0, 1, 79, 80, 81, 1000, 5000]) {
      const { rest } = await toMessagePieces(messagesOf(length), JSON.stringify)
      expect(rest.length).toBeLessThanOrEqual(80)
    }
  })
})
