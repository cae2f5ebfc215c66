/** Requests of a growing history: what was written before is not written again, and not a byte differs. */
import { type HistoryMessage, type ModelRequest, writeJson } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toAnthropicRequest } from '../../src/anthropic/request.ts'
import { toChatRequest } from '../../src/openai-chat/request.ts'
import { bodyText, toRequestBody } from '../../src/shared/request-body.ts'
import { compactedHistory, foldedHistory, wildHistory } from './histories.ts'

type Build = (messages: readonly HistoryMessage[], boundary: string | undefined) => object

const request = (messages: readonly HistoryMessage[], boundary: string | undefined): ModelRequest => ({
  model: 'm',
  messages,
  tools: [],
  ...(boundary === undefined ? {} : { boundary }),
})
const APIS: Readonly<Record<string, Build>> = {
  anthropic: (messages, boundary) => toAnthropicRequest(request(messages, boundary), undefined).body,
  'openai-chat': (messages, boundary) =>
    toChatRequest(request(messages, boundary), { capability: undefined, isOfficial: false }).body,
}

describe.for(Object.entries(APIS))('%s', ([, build]) => {
  test('a body from remembered messages equals one from messages never seen before', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(foldedHistory, compactedHistory, wildHistory),
        fc.array(fc.nat(40), { maxLength: 5 }),
        fc.boolean(),
        async (messages, ends, isMarked) => {
          const boundary = isMarked ? 'mark' : undefined
          for (const end of [...ends.toSorted((a, b) => a - b), messages.length]) {
            const seen = messages.slice(0, end)
            const unseen = structuredClone(seen) as readonly HistoryMessage[]
            expect(bodyText(await toRequestBody(build(seen, boundary), writeJson))).toBe(
              writeJson(build(unseen, boundary)),
            )
          }
        },
      ),
    )
  })

  test('another boundary gives other messages, and the first one its own again', () => {
    const said: HistoryMessage[] = [
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      { role: 'system', content: [{ type: 'text', text: 'a notice' }] },
    ]
    for (const boundary of ['one', 'two', 'one', undefined])
      expect(writeJson(build(said, boundary))).toBe(writeJson(build(structuredClone(said), boundary)))
  })

  test('each request writes as many messages after 300 turns as after 10', async () => {
    const messages = Array.from({ length: 300 }, (_, i) => turnsOf(i)).flat()
    const writtenAt = async (end: number): Promise<number> => {
      let written = 0
      const write = (value: unknown): string => {
        if (typeof value === 'object' && value !== null && 'role' in value) written += 1
        return writeJson(value)
      }
      await toRequestBody(build(messages.slice(0, end - 3), undefined), write)
      written = 0
      await toRequestBody(build(messages.slice(0, end), undefined), write)
      return written
    }
    const early = await writtenAt(30)
    expect(early).toBeLessThan(10)
    expect(await writtenAt(messages.length)).toBe(early)
  })
})

/** A question, a call and its result. */
const turnsOf = (i: number): readonly HistoryMessage[] => [
  { role: 'user', content: [{ type: 'text', text: `question ${i}` }] },
  {
    role: 'assistant',
    message_id: `m${i}`,
    provider: 'anthropic',
    model: 'm',
    content: [{ type: 'tool_use', call_id: `call_${i}`, name: 'Read', input_text: `{"at":${i}}` }],
  },
  {
    role: 'tool',
    results: [
      {
        type: 'tool_result',
        call_id: `call_${i}`,
        name: 'Read',
        output_text: 'out',
        content: [],
        is_error: false,
      },
    ],
  },
]
