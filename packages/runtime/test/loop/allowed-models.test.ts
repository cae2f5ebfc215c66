/** Runs whose caller may use some models: no other one is asked, as a fallback, by an alias, or after a notice. */
import type { EventOf, Model, ModelChoice, SessionEvent } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { createToolSystem } from '@toolwire/tools'
import { expect, test } from 'vitest'
import { createRuntime } from '../../src/runtime.ts'
import { promptFor, scriptedModel } from './scripted-model.ts'
import { opening, openStage, readAll, SESSION, seed, testTools } from './stage.ts'

const script = scriptedModel([])
const failing: Model['stream'] = async function* () {
  yield { type: 'error', error: { code: 'model_unavailable', message: 'away', retryable: false } }
}

/** Runs messages one after the other. Returns the models that were asked, and the ends of the runs. */
async function run(
  inputs: readonly Partial<EventOf<'input.message'>>[],
  choose?: (id: string) => ModelChoice,
) {
  const asked: string[] = []
  const store = createMemoryStore()
  let n = 0
  const runtime = createRuntime({
    log: store,
    models: id => ({
      ...script,
      id,
      stream(request, signal) {
        asked.push(id)
        return id === 'away' ? failing(request, signal) : script.stream(request, signal)
      },
    }),
    ...(choose ? { choose } : {}),
    tools: createToolSystem({ tools: testTools(new Map()) }),
    ids: { uuid: () => `run-${++n}`, prefixed: prefix => `${prefix}${++n}` },
    clock: { now: () => new Date('2026-01-01T00:00:00.000Z') },
    node: 'node',
    toolNames: [],
    maxTurns: 20,
    onError: error => {
      throw error
    },
  })
  const [created, message] = opening('go')
  const messages = inputs.map((input, i) => ({ ...message, message_id: `m${i}`, run_id: `r${i}`, ...input }))
  await seed(store, [created, ...messages] as SessionEvent[])
  await runtime.start()
  runtime.wake(SESSION)
  await runtime.settled()
  const events = (await readAll(store)).map(record => record.ev)
  await runtime.stop()
  return { asked, ends: events.filter(ev => ev.type === 'run.failed' || ev.type === 'run.completed') }
}

test('a model that is not allowed is not asked, and the run says why', async () => {
  const { asked, ends } = await run([{ model: 'dear', allowed_models: ['cheap'] }])
  expect(asked).toEqual([])
  expect(ends).toMatchObject([{ type: 'run.failed', error: { code: 'forbidden' } }])
  expect(JSON.stringify(ends)).toContain('does not allow the model dear')
})

test('a fallback that is not allowed is left out, and the next one is asked', async () => {
  const { asked, ends } = await run([
    { model: 'away', fallback_models: ['dear', 'cheap'], allowed_models: ['away', 'cheap'] },
  ])
  expect(asked).toEqual(['away', 'cheap'])
  expect(ends).toMatchObject([{ type: 'run.completed' }])
})

test('an allowed alias allows its members, and a beginning what begins so', async () => {
  const choose = (): ModelChoice => ({ model: 'away', fallback_models: ['dear'] })
  expect((await run([{ model: 'fast', allowed_models: ['fast'] }], choose)).asked).toEqual(['away', 'dear'])
  expect((await run([{ model: 'fast', allowed_models: ['slow', 'away'] }], choose)).asked).toEqual(['away'])
  expect((await run([{ model: 'one/a', allowed_models: ['one/*'] }])).asked).toEqual(['one/a'])
  expect((await run([{ model: 'two/a', allowed_models: ['one/*', 'two'] }])).asked).toEqual([])
})

test('agents of a run have its rights, and so has the run that their report starts', async () => {
  const agent = (more: object) => ({ name: 'Agent', input: { prompt: promptFor([{ calls: [] }]), ...more } })
  const turns = [{ calls: [agent({ model: 'dear' }), agent({ run_in_background: true })] }]
  const stage = openStage(createMemoryStore(), scriptedModel(turns), new Map())
  const [created, message] = opening('go')
  await seed(stage.store, [created, { ...message, allowed_models: ['script'] }] as SessionEvent[])
  await stage.runtime.start()
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
  const events = (await readAll(stage.store)).map(record => record.ev)
  await stage.runtime.stop()
  expect(events.filter(ev => ev.type === 'turn.started' && ev.model === 'dear')).toEqual([])
  expect(JSON.stringify(events)).toContain('does not allow the model dear')
  const starts = events.flatMap(ev => (ev.type === 'run.started' ? [ev.allowed_models] : []))
  expect(starts).toEqual([['script'], ['script'], ['script'], ['script']])
})

test('runs without a list ask every model', async () => {
  expect((await run([{ model: 'dear' }])).asked).toEqual(['dear'])
})

test('a payer is asked before every request, and the run ends when it refuses', async () => {
  const turns = [{ calls: [{ name: 'peek', input: { at: 'x' } }] }]
  const payers: (string | undefined)[] = []
  let n = 0
  const store = createMemoryStore()
  const runtime = createRuntime({
    log: store,
    models: () => scriptedModel(turns),
    refuse: async key => {
      payers.push(key)
      return payers.length > 1 ? 'Used up.' : undefined
    },
    tools: createToolSystem({ tools: testTools(new Map()) }),
    ids: { uuid: () => `run-${++n}`, prefixed: prefix => `${prefix}${++n}` },
    clock: { now: () => new Date('2026-01-01T00:00:00.000Z') },
    node: 'node',
    toolNames: [],
    maxTurns: 20,
    onError: error => {
      throw error
    },
  })
  const [created, message] = opening('go')
  await seed(store, [created, { ...message, via: { protocol: 'chat', key: 'k1' } }] as SessionEvent[])
  await runtime.start()
  runtime.wake(SESSION)
  await runtime.settled()
  const events = (await readAll(store)).map(record => record.ev)
  await runtime.stop()
  expect(payers).toEqual(['k1', 'k1'])
  expect(events.at(-1)).toMatchObject({
    type: 'run.failed',
    error: { code: 'budget_exceeded', message: 'Used up.' },
  })
})
