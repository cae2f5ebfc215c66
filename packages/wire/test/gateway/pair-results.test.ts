/** Pairing calls and results: for any messages at all, the outcome is one that every provider takes. */
import type { AssistantPart } from '@toolwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createWarnings, type ImportedMessage, pairResults, type ReceivedMessage } from '../../src/index.ts'

const id = fc.constantFrom('a', 'b', 'c', 'd')
const place = 'messages.0'
const said = fc.record({
  role: fc.constantFrom('user' as const, 'system' as const),
  content: fc.string({ minLength: 1 }).map(text => [{ type: 'text' as const, text }]),
  place: fc.constant(place),
})
const assistant = fc.uniqueArray(id, { maxLength: 3 }).map(
  (ids): ReceivedMessage => ({
    role: 'assistant',
    provider: 'openai',
    content: [
      { type: 'text', text: 'so' },
      ...ids.map(
        (call_id): AssistantPart => ({ type: 'tool_use', call_id, name: `f_${call_id}`, input_text: '{}' }),
      ),
    ],
    place,
  }),
)
const result = fc.tuple(id, fc.string()).map(
  ([call_id, output_text]): ReceivedMessage => ({
    role: 'result',
    result: { type: 'tool_result', call_id, name: '', output_text, content: [], is_error: false },
    place,
  }),
)
const messages = fc.array(fc.oneof(said, assistant, result, result), { minLength: 1, maxLength: 12 })

const callsOf = (message: ImportedMessage | undefined): readonly string[] =>
  message?.role === 'assistant'
    ? message.content.flatMap(part => (part.type === 'tool_use' ? [part.call_id] : []))
    : []

/** The outcome as one list, the tail in its place. */
function whole(sent: readonly ReceivedMessage[]): readonly ImportedMessage[] {
  const { history, tail } = pairResults(sent, createWarnings(false))
  if (tail.type === 'results') {
    const results: ImportedMessage = { role: 'tool', results: tail.results }
    return [...history, results, ...tail.joined]
  }
  return tail.type === 'message' ? [...history, { role: 'user', content: tail.content }] : history
}

test('every call is answered once, right after its message, in call order', () => {
  fc.assert(
    fc.property(messages, sent => {
      const told = whole(sent)
      for (const [i, message] of told.entries()) {
        const calls = callsOf(message)
        const after = told[i + 1]
        if (calls.length > 0)
          expect(after?.role === 'tool' && after.results.map(one => one.call_id)).toEqual(calls)
        if (message.role === 'tool') expect(callsOf(told[i - 1]).length).toBeGreaterThan(0)
      }
    }),
  )
})

test('nothing that was said is lost, and of several results for one call the last counts', () => {
  fc.assert(
    fc.property(messages, sent => {
      const told = whole(sent)
      const texts = (list: readonly (ImportedMessage | ReceivedMessage)[], role: 'user' | 'system') =>
        list.flatMap(message =>
          message.role === role ? message.content.map(part => (part.type === 'text' ? part.text : '')) : [],
        )
      expect(texts(told, 'system')).toEqual(texts(sent, 'system'))
      expect(texts(told, 'user').filter(text => !text.startsWith('Result of an unknown call'))).toEqual(
        texts(sent, 'user').filter(text => !text.startsWith('Result of an unknown call')),
      )
      expect(told.filter(message => message.role === 'assistant')).toHaveLength(
        sent.filter(message => message.role === 'assistant').length,
      )
    }),
  )
})

test('a strict request is refused exactly when something would be repaired', () => {
  fc.assert(
    fc.property(messages, sent => {
      const warnings = createWarnings(false)
      pairResults(sent, warnings)
      const strict = () => pairResults(sent, createWarnings(true))
      if (warnings.list.length > 0) expect(strict).toThrow()
      else expect(strict).not.toThrow()
    }),
  )
})
