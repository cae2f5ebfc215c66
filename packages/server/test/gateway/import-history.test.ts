/** Imported conversations fold to exactly what was sent, and leave the session at its next step. */
import { evolve, flushCalls, initial, next, type SessionEvent } from '@toolwire/core'
import type { ImportedMessage, Tail } from '@toolwire/wire'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { importHistory } from '../../src/gateway/import-history.ts'

let serial = 0
const ids = { uuid: () => `run-${++serial}`, prefixed: (prefix: string) => `${prefix}${++serial}` }
const setup = {
  model: 'm',
  client_tools: [],
  options: { temperature: 1 },
  protocol: 'openai-chat',
  limits: { max_turns: 9 },
}

function fold(history: readonly ImportedMessage[], tail: Tail) {
  const imported = importHistory(history, tail, setup, { ids, ts: '2026-01-01T00:00:00.000Z' })
  const created: SessionEvent = {
    type: 'session.created',
    ts: '',
    cwd: '/',
    model: 'm',
    tools: [],
    permission_mode: 'default',
  }
  const events: readonly SessionEvent[] = [created, ...imported.events]
  const state = events.reduce((before, ev, i) => evolve(before, { seq: i + 1, epoch: 0, ev }), initial())
  return { state, imported }
}

const text = fc.string({ minLength: 1 }).map(value => ({ type: 'text' as const, text: value }))
const said = fc.record({
  role: fc.constantFrom('user' as const, 'system' as const),
  content: fc.array(text, { minLength: 1, maxLength: 2 }),
})
const thinking = fc.record({
  type: fc.constant('thinking' as const),
  thinking: fc.string(),
  signature: fc.string(),
})
const redacted = fc.constant({
  type: 'redacted_thinking' as const,
  data: { type: 'redacted_thinking', data: 'x' },
})

/** An assistant message, with its results when it asks for any. */
const exchange = fc
  .record({
    thoughts: fc.array(fc.oneof(thinking, redacted), { maxLength: 2 }),
    texts: fc.array(text, { minLength: 1, maxLength: 2 }),
    calls: fc.uniqueArray(fc.integer({ min: 0, max: 99 }), { maxLength: 3 }),
    output: fc.string(),
  })
  .map(({ thoughts, texts, calls, output }): readonly ImportedMessage[] => {
    const parts = calls.map(n => ({
      type: 'tool_use' as const,
      call_id: `c${n}`,
      name: 'f',
      input_text: `{"n":${n}}`,
    }))
    const assistant: ImportedMessage = {
      role: 'assistant',
      provider: 'openai',
      content: [...thoughts, ...texts, ...parts],
    }
    if (calls.length === 0) return [assistant]
    const results = parts.map(({ call_id, name }) => ({
      type: 'tool_result' as const,
      call_id,
      name,
      output_text: output,
      content: [],
      is_error: false,
    }))
    return [assistant, { role: 'tool', results }]
  })

const history = fc
  .array(
    fc.oneof(
      said.map(one => [one]),
      exchange,
    ),
    { maxLength: 8 },
  )
  .map((groups): readonly ImportedMessage[] => groups.flat())

const plain = (messages: readonly object[]) =>
  messages.map(message => {
    const { message_id: _, model: __, ...rest } = message as Record<string, unknown>
    return JSON.parse(JSON.stringify(rest))
  })

test('what a further message will be asked with is the history that was sent', () => {
  fc.assert(
    fc.property(history, told => {
      const { state, imported } = fold(told, { type: 'message', content: [{ type: 'text', text: 'now' }] })
      expect(plain(state.messages)).toEqual(plain(told))
      expect(next(state)).toMatchObject({ do: 'start', input: { event: { run_id: imported.run_id } } })
      expect(imported.past).toBe(imported.events.length - 1)
      expect(state.conversations).toBeLessThanOrEqual(1)
    }),
  )
})

test('results at the end lead to the model at once', () => {
  fc.assert(
    fc.property(history, exchange, (before, last) => {
      const [assistant, tool] = last
      if (tool?.role !== 'tool' || !assistant) return
      const { results } = tool
      const { state, imported } = fold([...before, assistant], {
        type: 'results',
        results,
        missing: [],
        joined: [],
      })
      expect(plain(flushCalls(state))).toEqual(plain([...before, ...last]))
      expect(next(state)).toEqual({ do: 'call-model' })
      expect(state.run).toMatchObject({ run_id: imported.run_id, options: { temperature: 1 }, max_turns: 9 })
    }),
  )
})

test('a history without anything new leads to the model at once', () => {
  fc.assert(
    fc.property(history, told => {
      const { state } = fold(told, { type: 'continue' })
      expect(plain(flushCalls(state))).toEqual(plain(told))
      expect(next(state)).toEqual({ do: 'call-model' })
    }),
  )
})
