/** What ends a run before its model does: budgets, the clock; and who answers when its model cannot. */
import type {
  EventOf,
  Failure,
  Model,
  ModelPart,
  ModelRequest,
  RunLimits,
  SessionEvent,
  Usage,
} from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { createAgentTool, createToolSystem, defineTool } from '@toolwire/tools'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createRuntime } from '../../src/runtime.ts'
import { promptFor, scriptedModel } from './scripted-model.ts'
import { opening, readAll, SESSION, seed, testTools } from './stage.ts'

const AT = '2026-01-01T00:00:00.000Z'
const USAGE: Usage = { input: 100, output: 20, cache_read: 0, cache_write: 0, reasoning: 0 }
const overloaded: Failure = { code: 'model_overloaded', message: 'Overloaded', retryable: true }

const failing = (error: Failure, usage?: Usage): Model => ({
  provider: 'broken',
  id: 'broken',
  async *stream() {
    yield { type: 'error', error, ...(usage ? { usage, cost_usd: 0.5 } : {}) }
  },
})

/** Sends half a sentence, then is interrupted. */
const halting = (error: Failure): Model => ({
  provider: 'halting',
  id: 'halting',
  async *stream() {
    yield { type: 'start', provider_message_id: 'm', model: 'halting' }
    yield { type: 'block-start', index: 0, kind: 'text' }
    yield { type: 'block-delta', index: 0, text: 'half' }
    yield { type: 'error', error, usage: USAGE, cost_usd: 0.25 }
  },
})

/** Sends half a sentence and waits; when aborted it reports its usage. */
function waiting(): { readonly model: Model; readonly reached: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  async function* stream(_: unknown, signal: AbortSignal): AsyncGenerator<ModelPart> {
    yield { type: 'start', provider_message_id: 'm', model: 'waiting' }
    yield { type: 'block-start', index: 0, kind: 'text' }
    yield { type: 'block-delta', index: 0, text: 'half' }
    resolve()
    await new Promise<void>(done => signal.addEventListener('abort', () => done(), { once: true }))
    const error: Failure = { code: 'interrupted', message: 'cancelled', retryable: true }
    yield { type: 'error', error, usage: USAGE, cost_usd: 0.25 }
  }
  return { model: { provider: 'waiting', id: 'waiting', stream }, reached: promise }
}

const hang = (started: () => void) =>
  defineTool({
    name: 'hang',
    description: 'never ends by itself',
    input: z.strictObject({}),
    isReadOnly: () => true,
    async *call(_, { signal }) {
      started()
      await new Promise<void>(done => signal.addEventListener('abort', () => done(), { once: true }))
      yield { type: 'result', output_text: 'too late' }
    },
  })

interface Setting {
  readonly models: Readonly<Record<string, Model>>
  readonly input?: Partial<EventOf<'input.message'>>
  readonly limits?: Omit<RunLimits, 'max_turns'>
  readonly onHang?: () => void
}

function open({ models, limits, onHang }: Setting) {
  const store = createMemoryStore()
  const errors: unknown[] = []
  let n = 0
  const runtime = createRuntime({
    log: store,
    models: id => {
      const model = models[id]
      if (!model) throw new Error(`no model ${id}`)
      return model
    },
    tools: createToolSystem({
      tools: [...testTools(new Map()), createAgentTool({}), hang(onHang ?? (() => {}))],
    }),
    ids: { uuid: () => `run-${++n}`, prefixed: prefix => `${prefix}${++n}` },
    clock: { now: () => new Date(AT) },
    node: 'node',
    toolNames: [],
    maxTurns: 20,
    ...(limits ? { limits } : {}),
    onError: error => errors.push(error),
  })
  return { store, runtime, errors }
}

async function start(setting: Setting) {
  const stage = open(setting)
  const [created, input] = opening('go')
  await seed(stage.store, [created, { ...input, ...setting.input }] as SessionEvent[])
  await stage.runtime.start()
  stage.runtime.wake(SESSION)
  return stage
}

async function run(setting: Setting): Promise<readonly SessionEvent[]> {
  const stage = await start(setting)
  await stage.runtime.settled()
  expect(stage.errors).toEqual([])
  const events = (await readAll(stage.store)).map(rec => rec.ev)
  await stage.runtime.stop()
  return events
}

const of = <T extends SessionEvent['type']>(events: readonly SessionEvent[], type: T) =>
  events.filter((ev): ev is EventOf<T> => ev.type === type)

const good = scriptedModel([])
const peeks = scriptedModel(
  Array.from({ length: 9 }, (_, i) => ({ calls: [{ name: 'peek', input: { at: `${i}` } }] })),
)

describe('fallback models', () => {
  test('the next model answers when one fails before it has said anything, and the answer says so', async () => {
    const events = await run({
      models: { script: failing(overloaded), spare: good },
      input: { fallback_models: ['spare'] },
    })
    expect(of(events, 'turn.started').map(ev => [ev.model, ev.attempt])).toEqual([
      ['script', 1],
      ['spare', 2],
    ])
    expect(of(events, 'message.aborted')).toMatchObject([{ reason: 'fallback', error: overloaded }])
    expect(of(events, 'message.started')[0]?.warnings).toEqual([
      { code: 'fallback_model', message: 'script failed (model_overloaded); spare answers instead.' },
    ])
    expect(events.at(-1)).toMatchObject({ type: 'run.completed', usage_by_model: [{ model: 'spare' }] })
  })

  test('a model that has spoken is never replaced: its half message stays, and the run fails', async () => {
    const events = await run({
      models: { script: halting(overloaded), spare: good },
      input: { fallback_models: ['spare'] },
    })
    expect(of(events, 'turn.started')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({ type: 'run.failed', error: { code: 'model_overloaded' } })
  })

  test('what the request itself got wrong is not tried elsewhere', async () => {
    const bad: Failure = { code: 'bad_request', message: 'no', retryable: false }
    const events = await run({
      models: { script: failing(bad), spare: good },
      input: { fallback_models: ['spare'] },
    })
    expect(of(events, 'turn.started')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({ type: 'run.failed', error: bad })
  })

  test('when all fail, the last failure names those before it', async () => {
    const auth: Failure = { code: 'model_auth', message: 'bad key', retryable: false }
    const events = await run({
      models: { script: failing(overloaded), spare: failing(auth) },
      input: { fallback_models: ['spare'] },
    })
    expect(events.at(-1)).toMatchObject({
      type: 'run.failed',
      error: { code: 'model_auth', details: { tried: [{ model: 'script', code: 'model_overloaded' }] } },
    })
  })

  test('the model that answered continues the conversation; the next message tries the first again', async () => {
    let asked = 0
    const first: Model = {
      ...failing(overloaded),
      async *stream(): AsyncGenerator<ModelPart> {
        asked += 1
        yield { type: 'error', error: overloaded }
      },
    }
    const stage = await start({
      models: { script: first, spare: scriptedModel([{ calls: [{ name: 'peek', input: { at: 'x' } }] }]) },
      input: { fallback_models: ['spare'] },
    })
    await stage.runtime.settled()
    expect(asked).toBe(1)
    const [, input] = opening('again', 'run-2')
    const again = { ...input, fallback_models: ['spare'] } as SessionEvent
    await stage.store.append([{ session: SESSION, events: [again], state: 'running' }])
    stage.runtime.wake(SESSION)
    await stage.runtime.settled()
    expect(asked).toBe(2)
    await stage.runtime.stop()
  })

  test('of the server hold for every run, unless the request names its own', async () => {
    const models = {
      script: failing(overloaded),
      spare: good,
      other: scriptedModel([{ text: 'other', calls: [] }]),
    }
    const own = await run({ models, limits: { fallback_models: ['spare'] } })
    expect(own.at(-1)).toMatchObject({ type: 'run.completed', result_text: 'The end.' })
    const asked = await run({
      models,
      limits: { fallback_models: ['spare'] },
      input: { fallback_models: ['other'] },
    })
    expect(asked.at(-1)).toMatchObject({ type: 'run.completed', result_text: 'other' })
  })
})

describe('budgets', () => {
  test('in tokens end the run as budget_exceeded before the next request', async () => {
    const events = await run({ models: { script: peeks }, input: { max_total_tokens: 30 } })
    expect(of(events, 'turn.completed')).toHaveLength(2)
    expect(events.at(-1)).toMatchObject({ type: 'run.failed', error: { code: 'budget_exceeded' } })
  })

  test('of the server cannot be raised by a request, only lowered', async () => {
    const events = await run({
      models: { script: peeks },
      limits: { max_cost_usd: 0.002 },
      input: { max_cost_usd: 5 },
    })
    expect(of(events, 'turn.completed')).toHaveLength(2)
    const lower = await run({
      models: { script: peeks },
      limits: { max_cost_usd: 5 },
      input: { max_cost_usd: 0.001 },
    })
    expect(of(lower, 'turn.completed')).toHaveLength(1)
  })

  test('in money say when a price is unknown, and the total stays unknown', async () => {
    const unpriced: Model = {
      ...peeks,
      async *stream(request, signal) {
        for await (const part of peeks.stream(request, signal)) {
          if (part.type !== 'end' || request.messages.length > 2) yield part
          else {
            const { cost_usd: _, ...end } = part
            yield end
          }
        }
      },
    }
    const events = await run({ models: { script: unpriced }, input: { max_cost_usd: 0.002 } })
    expect(of(events, 'message.started').map(ev => ev.warnings?.map(one => one.code))).toEqual([
      undefined,
      ['cost_unknown'],
      ['cost_unknown'],
    ])
    const end = of(events, 'run.failed')[0]
    expect(end?.error.code).toBe('budget_exceeded')
    expect(end?.cost_usd).toBeUndefined()
    expect(end?.usage_by_model[0]).toMatchObject({ model: 'script', usage: { input: 30 } })
    expect(end?.usage_by_model[0]?.cost_usd).toBeUndefined()
  })
})

/** A busy machine gets as far as the test needs before the time is up. */
const ENOUGH_MS = 1500

describe('the clock', () => {
  test('ends a run whose model still writes: the message is marked, its usage counts', async () => {
    const { model } = waiting()
    const events = await run({ models: { script: model }, input: { max_duration_ms: ENOUGH_MS } })
    expect(of(events, 'message.aborted')).toMatchObject([{ usage: USAGE, cost_usd: 0.25 }])
    expect(events.at(-1)).toMatchObject({
      type: 'run.failed',
      error: { code: 'deadline_exceeded', retryable: false },
      usage_by_model: [{ model: 'script', usage: USAGE, cost_usd: 0.25 }],
    })
  })

  test('ends a run whose tool hangs: the call has one end, and the session continues', async () => {
    const model = scriptedModel([{ calls: [{ name: 'hang', input: {} }] }])
    const stage = await start({
      models: { script: model, other: good },
      input: { max_duration_ms: ENOUGH_MS },
    })
    await stage.runtime.settled()
    const events = (await readAll(stage.store)).map(rec => rec.ev)
    expect(of(events, 'tool.failed')).toHaveLength(1)
    expect(of(events, 'tool.completed')).toHaveLength(0)
    expect(events.at(-1)).toMatchObject({ type: 'run.failed', error: { code: 'deadline_exceeded' } })
    const [, input] = opening('again', 'run-next')
    const again = { ...input, model: 'other' } as SessionEvent
    await stage.store.append([{ session: SESSION, events: [again], state: 'running' }])
    stage.runtime.wake(SESSION)
    await stage.runtime.settled()
    expect((await readAll(stage.store)).at(-1)?.ev.type).toBe('run.completed')
    await stage.runtime.stop()
  })

  test('ends the subagents of a run with it', async () => {
    const prompt = promptFor([{ calls: [{ name: 'hang', input: {} }] }])
    const model = scriptedModel([{ calls: [{ name: 'Agent', input: { prompt } }] }])
    const events = await run({ models: { script: model }, input: { max_duration_ms: ENOUGH_MS } })
    expect(of(events, 'agent.finished')).toMatchObject([{ outcome: 'error' }])
    expect(events.at(-1)).toMatchObject({ type: 'run.failed', error: { code: 'deadline_exceeded' } })
    const ended = [...of(events, 'tool.failed'), ...of(events, 'tool.completed')].map(ev => ev.call_id)
    expect(new Set(ended).size).toBe(ended.length)
    expect(ended).toHaveLength(2)
  })
})

/** Retries its first attempts, then answers; counts its attempts. */
function stubborn(retries: number): { readonly model: Model; readonly made: () => number } {
  let made = 0
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    for (let n = 0; n < retries; n++) {
      made += 1
      const error = { ...overloaded, request_id: `req_${n}` }
      yield { type: 'retry', error, usage: USAGE, cost_usd: 0.5 }
    }
    made += 1
    yield* good.stream(request, signal)
  }
  return { model: { ...good, stream }, made: () => made }
}

describe('an attempt that a model makes again', () => {
  test('is a fact of the log with its usage, and part of the run’s total', async () => {
    const events = await run({ models: { script: stubborn(2).model } })
    expect(of(events, 'turn.started').map(ev => [ev.turn, ev.attempt])).toEqual([
      [0, 1],
      [0, 2],
      [0, 3],
    ])
    expect(of(events, 'message.aborted')).toMatchObject(
      ['req_0', 'req_1'].map(request_id => ({
        reason: 'retried',
        message_id: '',
        usage: USAGE,
        cost_usd: 0.5,
        request_id,
        error: { code: 'model_overloaded' },
      })),
    )
    expect(of(events, 'message.started')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({
      type: 'run.completed',
      num_turns: 1,
      usage_by_model: [{ usage: { input: 2 * 100 + 10, output: 2 * 20 + 5 }, cost_usd: 1.001 }],
    })
  })

  test.for([
    ['tokens', { max_total_tokens: 240 }],
    ['money', { max_cost_usd: 1 }],
  ] as const)('is the last one when the budget in %s is used up by it', async ([, input]) => {
    const { model, made } = stubborn(5)
    const events = await run({
      models: { script: model, spare: good },
      input: { ...input, fallback_models: ['spare'] },
    })
    expect(made()).toBe(2)
    expect(of(events, 'turn.started')).toHaveLength(2)
    expect(events.at(-1)).toMatchObject({
      type: 'run.failed',
      error: { code: 'budget_exceeded' },
      cost_usd: 1,
    })
  })

  test('of a model that fails in the end leaves the next one its number, and the budget no next one', async () => {
    const { model } = stubborn(1)
    const giving: Model = {
      ...model,
      async *stream(request, signal) {
        for await (const part of model.stream(request, signal)) {
          if (part.type === 'retry') yield part
          else return yield { type: 'error', error: overloaded, usage: USAGE, cost_usd: 0.5 }
        }
      },
    }
    const models = { script: giving, spare: good }
    const events = await run({ models, input: { fallback_models: ['spare'] } })
    expect(of(events, 'turn.started').map(ev => [ev.model, ev.attempt])).toEqual([
      ['script', 1],
      ['script', 2],
      ['spare', 3],
    ])
    expect(of(events, 'run.completed')[0]?.usage_by_model[0]).toMatchObject({ usage: { input: 200 } })
    const poor = await run({ models, input: { fallback_models: ['spare'], max_cost_usd: 1 } })
    expect(of(poor, 'turn.started').map(ev => ev.model)).toEqual(['script', 'script'])
    expect(poor.at(-1)).toMatchObject({ type: 'run.failed', error: { code: 'budget_exceeded' } })
  })
})

describe('what a broken message used', () => {
  test('is included when it was cancelled', async () => {
    const { model, reached } = waiting()
    const stage = await start({ models: { script: model } })
    await reached
    const cancel: SessionEvent = { type: 'input.cancel', ts: AT, run_id: 'c', reason: 'enough', by: 'user' }
    await stage.store.append([{ session: SESSION, events: [cancel], state: 'running' }])
    stage.runtime.wake(SESSION)
    await stage.runtime.settled()
    const events = (await readAll(stage.store)).map(rec => rec.ev)
    expect(of(events, 'message.aborted')).toMatchObject([{ reason: 'cancelled', usage: USAGE }])
    expect(events.at(-1)).toMatchObject({
      type: 'run.cancelled',
      usage_by_model: [{ usage: USAGE, cost_usd: 0.25 }],
      cost_usd: 0.25,
    })
    await stage.runtime.stop()
  })

  test('is included when it was interrupted, and when another model replaced it', async () => {
    const broken = await run({ models: { script: halting(overloaded) } })
    expect(broken.at(-1)).toMatchObject({ type: 'run.failed', usage_by_model: [{ usage: USAGE }] })
    const replaced = await run({
      models: { script: failing(overloaded, USAGE), spare: good },
      input: { fallback_models: ['spare'] },
    })
    expect(replaced.at(-1)).toMatchObject({
      type: 'run.completed',
      usage_by_model: [{ model: 'script', usage: USAGE, cost_usd: 0.5 }, { model: 'spare' }],
    })
  })
})
