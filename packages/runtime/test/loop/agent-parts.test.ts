/** One call that has several agents write for it, one after another, as a server that wants a model to write may. */
import type { ModelRequest, Tool } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { createToolSystem, defineTool } from '@toolwire/tools'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createRuntime } from '../../src/runtime.ts'
import { scriptedModel } from './scripted-model.ts'
import { fold, opening, readAll, SESSION, seed, testTools } from './stage.ts'

const twice = defineTool({
  name: 'twice',
  description: 'has two texts written',
  input: z.strictObject({}),
  isReadOnly: () => true,
  async *call(_, { runAgent }) {
    const spec = { name: 'model', tools: [], client_tools: false, max_turns: 1, max_tokens: 77 }
    const ends = []
    for (const part of ['a', 'b'])
      ends.push(await runAgent?.({ ...spec, prompt: `script:[{"text":"${part}","calls":[]}]`, part }))
    const texts = ends.map(end => (end?.type === 'finished' ? end.text : '?'))
    yield { type: 'result', output_text: texts.join(' and ') }
  },
}) as Tool

test('each has its own end, no tools, the limit it was given, and is part of the run’s usage', async () => {
  const store = createMemoryStore()
  const seen: ModelRequest[] = []
  let n = 0
  const runtime = createRuntime({
    log: store,
    models: () => scriptedModel([{ calls: [{ name: 'twice', input: {} }] }], seen),
    tools: createToolSystem({ tools: [...testTools(new Map()), twice] }),
    ids: { uuid: () => `run-${++n}`, prefixed: prefix => `${prefix}${++n}` },
    clock: { now: () => new Date('2026-01-01T00:00:00.000Z') },
    node: 'node',
    toolNames: [],
    maxTurns: 20,
    onError: error => {
      throw error
    },
  })
  await seed(store, opening('go'))
  await runtime.start()
  runtime.wake(SESSION)
  await runtime.settled()
  await runtime.stop()
  const results = (await fold(store)).messages.flatMap(said => (said.role === 'tool' ? said.results : []))
  expect(results.map(result => result.output_text)).toEqual(['a and b'])
  const written = seen.filter(request => request.max_tokens === 77)
  expect(written.map(request => request.tools)).toEqual([[], []])
  const end = (await readAll(store)).map(rec => rec.ev).findLast(ev => ev.type === 'run.completed')
  // Two messages of the session's own model and two that were written for the call.
  expect(end?.type === 'run.completed' && end.usage_by_model[0]?.usage.input).toBe(40)
})
