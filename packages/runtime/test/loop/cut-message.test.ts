/** A truncated message: by the output limit after a call that asks the user, or by its stream inside a call. */
import type { Model, ModelPart, SessionEvent } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { scriptedModel } from './scripted-model.ts'
import { fold, opening, openStage, readAll, SESSION, seed } from './stage.ts'

test('its question is withdrawn and the run continues without waiting for an answer', async () => {
  const turns = [{ calls: [{ name: 'poke', input: { at: 'x' } }], finish: 'length' as const }]
  const stage = openStage(createMemoryStore(), scriptedModel(turns))
  await seed(stage.store, opening('go'))
  await stage.runtime.start()
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
  await stage.runtime.stop()
  const events = (await readAll(stage.store)).map(rec => rec.ev)
  const asked = events.filter(ev => ev.type === 'tool.approval_requested')
  const resolved = events.filter(ev => ev.type === 'tool.approval_resolved')
  expect([asked.length, resolved.length]).toEqual([1, 1])
  expect(resolved[0]).toMatchObject({ decision: 'cancelled' })
  expect(events.some(ev => ev.type === 'run.paused')).toBe(false)
  expect(events.at(-1)).toMatchObject({ type: 'run.completed' })
  expect(stage.effects.size).toBe(0)
  const results = (await fold(stage.store)).messages.flatMap(said =>
    said.role === 'tool' ? said.results : [],
  )
  expect(results).toMatchObject([{ is_error: true, output_text: expect.stringContaining('output limit') }])
})

/** Says these parts once, and is done with the next request. */
const once = (...parts: readonly ModelPart[]): Model => ({
  provider: 'once',
  id: 'once',
  async *stream({ messages }) {
    if (!messages.some(said => said.role === 'assistant')) return yield* parts
    const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
    yield { type: 'start', provider_message_id: 'm2', model: 'm' }
    yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage }
  },
})

test.for([
  ['before its arguments', []],
  ['inside its arguments', ['{"at":', '"y']],
  ['behind its arguments, but before its end', ['{"at":"y"}']],
] as const)('a stream that breaks inside a second call, %s, runs the first alone', async ([, pieces]) => {
  const parts: readonly ModelPart[] = [
    { type: 'start', provider_message_id: 'm1', model: 'm' },
    { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: 'toolu_1', name: 'peek' } },
    { type: 'block-delta', index: 0, input_text: '{"at":"x"}' },
    { type: 'block-end', index: 0 },
    // This one would be content with no arguments at all.
    { type: 'block-start', index: 1, kind: 'tool_use', tool: { id: 'toolu_2', name: 'browse' } },
    ...pieces.map(input_text => ({ type: 'block-delta', index: 1, input_text }) as const),
    { type: 'error', error: { code: 'model_unavailable', message: 'gone', retryable: true } },
  ]
  const stage = openStage(createMemoryStore(), once(...parts))
  await seed(stage.store, opening('go'))
  await stage.runtime.start()
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
  await stage.runtime.stop()
  const all = (await readAll(stage.store)).map(rec => rec.ev)
  const of = (type: SessionEvent['type']) => all.filter(ev => ev.type === type)
  expect(of('tool.ready')).toMatchObject([{ call_id: 'toolu_1' }])
  expect(of('tool.completed')).toMatchObject([{ call_id: 'toolu_1', output_text: 'saw x' }])
  expect(of('tool.failed')).toMatchObject([{ call_id: 'toolu_2', error: { code: 'truncated' } }])
  expect(all.at(-1)).toMatchObject({ type: 'run.completed' })
  // The history pairs every call with its result; the torn one is no part of it.
  const { messages } = await fold(stage.store)
  const results = messages.flatMap(said => (said.role === 'tool' ? said.results : []))
  expect(results.map(one => one.call_id)).toEqual(['toolu_1'])
})
