/** The model of a run is chosen by the id that it names, with the models that are asked after it. */
import type { EventOf, Model, ModelChooser, SessionEvent } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { createToolSystem } from '@toolwire/tools'
import { expect, test } from 'vitest'
import { createRuntime } from '../../src/runtime.ts'
import { scriptedModel } from './scripted-model.ts'
import { opening, readAll, SESSION, seed, testTools } from './stage.ts'

const broken: Model = {
  provider: 'broken',
  id: 'broken',
  async *stream() {
    yield { type: 'error', error: { code: 'model_overloaded', message: 'No.', retryable: true } }
  },
}
const MODELS: Readonly<Record<string, Model>> = {
  broken,
  spare: scriptedModel([{ text: 'spare', calls: [] }]),
  other: scriptedModel([{ text: 'other', calls: [] }]),
}

async function run(choose: ModelChooser, input: Partial<EventOf<'input.message'>> = {}) {
  const store = createMemoryStore()
  let n = 0
  const runtime = createRuntime({
    log: store,
    models: id => MODELS[id] ?? broken,
    choose,
    tools: createToolSystem({ tools: testTools(new Map()) }),
    ids: { uuid: () => `run-${++n}`, prefixed: prefix => `${prefix}${++n}` },
    clock: { now: () => new Date('2026-01-01T00:00:00.000Z') },
    node: 'node',
    toolNames: [],
    maxTurns: 20,
    limits: { fallback_models: ['other'] },
    onError: error => {
      throw error
    },
  })
  const [created, message] = opening('go')
  await seed(store, [created, { ...message, ...input }] as SessionEvent[])
  await runtime.start()
  runtime.wake(SESSION)
  await runtime.settled()
  const events = (await readAll(store)).map(record => record.ev)
  await runtime.stop()
  return {
    started: events.find(ev => ev.type === 'run.started'),
    end: events.find(ev => ev.type === 'run.completed'),
  }
}

test('the chosen fallback models come before those of the server, and after those of the request', async () => {
  const seen: string[] = []
  const choose: ModelChooser = (id, session) => {
    seen.push(`${id} ${session}`)
    return { model: 'broken', fallback_models: ['spare'] }
  }
  const { started, end } = await run(choose)
  expect(seen).toEqual([`script ${SESSION}`])
  expect(started).toMatchObject({ model: 'broken', fallback_models: ['spare'] })
  expect(end).toMatchObject({ result_text: 'spare' })
  expect((await run(choose, { fallback_models: ['other'] })).end).toMatchObject({ result_text: 'other' })
})

test('without chosen ones those of the server apply', async () => {
  const { started, end } = await run(() => ({ model: 'broken' }))
  expect(started).toMatchObject({ model: 'broken', fallback_models: ['other'] })
  expect(end).toMatchObject({ result_text: 'other' })
})
