/** Runs as a user meets them: limits, cancel, queue, pauses, broken models. */
import type { Model, ModelPart, SessionEvent, Store } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { describe, expect, test } from 'vitest'
import { scriptedModel } from './scripted-model.ts'
import { fold, message, opening, openStage, playOut, readAll, SESSION, type Stage, seed } from './stage.ts'

const AT = '2026-01-01T00:00:00.000Z'
const types = async (store: Store): Promise<readonly string[]> =>
  (await readAll(store)).map(rec => rec.ev.type)
const last = async (store: Store): Promise<SessionEvent | undefined> => (await readAll(store)).at(-1)?.ev

async function start(model: Model, events: readonly SessionEvent[] = opening('go')): Promise<Stage> {
  const stage = openStage(createMemoryStore(), model)
  await seed(stage.store, events)
  await stage.runtime.start()
  stage.runtime.wake(SESSION)
  return stage
}

async function add(stage: Stage, ...events: readonly SessionEvent[]): Promise<void> {
  await stage.store.append([{ session: SESSION, events, state: 'running' }])
  stage.runtime.wake(SESSION)
}

/** A model that stops after its first delta until `release` is called; ends as interrupted when aborted. */
function gatedModel(): {
  readonly model: Model
  readonly reached: Promise<void>
  readonly release: () => void
} {
  const gate = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  async function* stream(_: unknown, signal: AbortSignal): AsyncGenerator<ModelPart> {
    yield { type: 'start', provider_message_id: 'm', model: 'gated' }
    yield { type: 'block-start', index: 0, kind: 'text' }
    yield { type: 'block-delta', index: 0, text: 'half ' }
    reached.resolve()
    const aborted = new Promise<void>(resolve =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    )
    await Promise.race([gate.promise, aborted])
    if (signal.aborted) {
      yield { type: 'error', error: { code: 'interrupted', message: 'aborted', retryable: true } }
      return
    }
    yield { type: 'block-delta', index: 0, text: 'whole' }
    yield { type: 'block-end', index: 0 }
    const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
    yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage }
  }
  return {
    model: { provider: 'gated', id: 'gated', stream },
    reached: reached.promise,
    release: gate.resolve,
  }
}

describe('limits', () => {
  test('a run that would need another turn than allowed fails with max_turns', async () => {
    const turns = Array.from({ length: 30 }, (_, i) => ({ calls: [{ name: 'peek', input: { at: `${i}` } }] }))
    const stage = openStage(createMemoryStore(), scriptedModel(turns))
    await seed(stage.store, opening('go'))
    await playOut(stage)
    expect(await last(stage.store)).toMatchObject({
      type: 'run.failed',
      error: { code: 'max_turns' },
      num_turns: 20,
    })
  })

  test('a run whose cost has reached its budget makes no further model call', async () => {
    const turns = Array.from({ length: 9 }, (_, i) => ({ calls: [{ name: 'peek', input: { at: `${i}` } }] }))
    const [created, input] = opening('go')
    const stage = await start(scriptedModel(turns), [
      created,
      { ...input, max_cost_usd: 0.002 },
    ] as SessionEvent[])
    await stage.runtime.settled()
    expect(await last(stage.store)).toMatchObject({
      type: 'run.failed',
      error: { code: 'budget_exceeded' },
      num_turns: 2,
    })
  })
})

describe('cancel', () => {
  test('in the middle of a message: the half message is marked, the run ends as cancelled, the session works on', async () => {
    const { model, reached } = gatedModel()
    const stage = await start(model)
    await reached
    await add(stage, { type: 'input.cancel', ts: AT, reason: 'enough', by: 'user' })
    await stage.runtime.settled()
    expect((await types(stage.store)).slice(-2)).toEqual(['message.aborted', 'run.cancelled'])
    expect((await fold(stage.store)).messages.map(m => m.role)).toEqual(['user'])
  })

  test('of a pause: approvals are closed, calls get their one result, the run ends as cancelled', async () => {
    const stage = await start(
      scriptedModel([
        {
          calls: [
            { name: 'poke', input: { at: 'x' } },
            { name: 'browse', input: {} },
          ],
        },
      ]),
    )
    await stage.runtime.settled()
    expect(await last(stage.store)).toMatchObject({
      type: 'run.paused',
      pending: [{ kind: 'approval' }, { kind: 'client_tool' }],
    })
    await add(stage, { type: 'input.cancel', ts: AT, reason: 'no', by: 'user' })
    await stage.runtime.settled()
    expect((await types(stage.store)).slice(-4)).toEqual([
      'tool.approval_resolved',
      'tool.failed',
      'tool.failed',
      'run.cancelled',
    ])
    expect(stage.effects.size).toBe(0)
  })
})

describe('messages that arrive during a run', () => {
  test('during a run: queued, then run after it, never interleaved', async () => {
    const { model, reached, release } = gatedModel()
    const stage = await start(model)
    await reached
    await add(stage, message('second', 'run-2'))
    await add(stage, message('third', 'run-3'))
    release()
    await stage.runtime.settled()
    const runs = (await readAll(stage.store)).flatMap(({ ev }) =>
      ev.type === 'run.started' || ev.type === 'run.completed' ? [`${ev.type} ${ev.run_id}`] : [],
    )
    expect(runs).toEqual([
      'run.started run-1',
      'run.completed run-1',
      'run.started run-2',
      'run.completed run-2',
      'run.started run-3',
      'run.completed run-3',
    ])
  })

  test('during a pause, superseding: the open call is closed and the message is answered', async () => {
    const stage = await start(scriptedModel([{ calls: [{ name: 'poke', input: { at: 'x' } }] }]))
    await stage.runtime.settled()
    await add(stage, { ...message('never mind', 'run-2'), if_paused: 'supersede' } as SessionEvent)
    await stage.runtime.settled()
    const all = await types(stage.store)
    expect(all.filter(t => t === 'run.cancelled')).toHaveLength(1)
    const { messages, run } = await fold(stage.store)
    expect(messages.map(m => m.role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant'])
    expect(run?.run_id).toBe('run-2')
  })

  test('during a pause, queueing: it waits behind the pause', async () => {
    const stage = await start(scriptedModel([{ calls: [{ name: 'browse', input: {} }] }]))
    await stage.runtime.settled()
    await add(stage, { ...message('later', 'run-2'), if_paused: 'queue' } as SessionEvent)
    await stage.runtime.settled()
    expect(await fold(stage.store)).toMatchObject({
      phase: 'paused',
      queue: [{ event: { run_id: 'run-2' } }],
    })
    const state = await playOut(stage)
    expect(state).toMatchObject({ phase: 'idle', queue: [], conversations: 2 })
  })
})

describe('pauses', () => {
  const two = scriptedModel([
    {
      calls: [
        { name: 'browse', input: { n: 1 } },
        { name: 'browse', input: { n: 2 } },
      ],
    },
  ])
  const output = (call_id: string, run_id: string): SessionEvent => ({
    type: 'input.tool_output',
    ts: AT,
    run_id,
    call_id,
    output_text: call_id,
    is_error: false,
    by: 'page',
  })

  test('a partial answer is recorded and the pause repeated with the rest', async () => {
    const stage = await start(two)
    await stage.runtime.settled()
    const [a, b] = (await fold(stage.store)).calls.map(c => c.call_id)
    await add(stage, output(b ?? '', 'r2'))
    await stage.runtime.settled()
    expect(await last(stage.store)).toMatchObject({
      type: 'run.paused',
      run_id: 'r2',
      pending: [{ call_id: a }],
    })
    await add(stage, output(a ?? '', 'r3'))
    await stage.runtime.settled()
    const tool = (await fold(stage.store)).messages.find(m => m.role === 'tool')
    expect(tool).toMatchObject({
      results: [
        { call_id: a, output_text: a },
        { call_id: b, output_text: b },
      ],
    })
    expect(await last(stage.store)).toMatchObject({ type: 'run.completed', run_id: 'r3' })
  })

  test('the second answer to one call changes nothing', async () => {
    const stage = await start(scriptedModel([{ calls: [{ name: 'browse', input: {} }] }]))
    await stage.runtime.settled()
    const [call] = (await fold(stage.store)).calls
    const id = call?.call_id ?? ''
    await add(stage, output(id, 'r2'), { ...output(id, 'r2'), output_text: 'other' } as SessionEvent)
    await stage.runtime.settled()
    const results = (await fold(stage.store)).messages.flatMap(m => (m.role === 'tool' ? m.results : []))
    expect(results.map(r => r.output_text)).toEqual([id])
  })

  test('a resumed run is a new run of the same conversation', async () => {
    const stage = openStage(createMemoryStore(), scriptedModel([{ calls: [{ name: 'browse', input: {} }] }]))
    await seed(stage.store, opening('go'))
    await playOut(stage)
    const runs = (await readAll(stage.store)).flatMap(({ ev }) => (ev.type === 'run.started' ? [ev] : []))
    expect(runs).toHaveLength(2)
    expect(runs[1]).toMatchObject({
      resumes_run_id: 'run-1',
      conversation_id: 'run-1',
      trigger: 'tool_outputs',
    })
  })
})

describe('models that break', () => {
  const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
  const model = (...parts: readonly ModelPart[]): Model => ({
    provider: 'p',
    id: 'm',
    async *stream({ messages }) {
      if (messages.some(m => m.role === 'tool')) {
        yield { type: 'start', provider_message_id: 'm2', model: 'm' }
        yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage }
      } else yield* parts
    },
  })
  const error: ModelPart = {
    type: 'error',
    error: { code: 'model_unavailable', message: 'gone', retryable: true },
  }
  const begin: readonly ModelPart[] = [
    { type: 'start', provider_message_id: 'm1', model: 'm' },
    { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: 'toolu_1', name: 'peek' } },
    { type: 'block-delta', index: 0, input_text: '{"at":"x"}' },
  ]

  test('an error in a half message: marked as aborted, run failed with the model’s code, no call executed', async () => {
    const stage = await start(model(...begin, error))
    await stage.runtime.settled()
    expect((await types(stage.store)).slice(-3)).toEqual(['tool.failed', 'message.aborted', 'run.failed'])
    expect(await last(stage.store)).toMatchObject({ error: { code: 'model_unavailable' } })
  })

  test('a stream that just ends counts as broken, never as finished', async () => {
    const stage = await start(model(...begin))
    await stage.runtime.settled()
    expect(await last(stage.store)).toMatchObject({
      type: 'run.failed',
      error: { code: 'model_unavailable' },
    })
  })

  test('a stream that breaks after a complete call keeps the call and continues', async () => {
    const usage = { input: 7, output: 3, cache_read: 0, cache_write: 0, reasoning: 0 }
    const stage = await start(model(...begin, { type: 'block-end', index: 0 }, { ...error, usage }))
    await stage.runtime.settled()
    const all = await readAll(stage.store)
    expect(all.find(r => r.ev.type === 'turn.completed')?.ev).toMatchObject({
      stop_reason: 'stream_broken',
      usage,
    })
    expect(all.find(r => r.ev.type === 'tool.completed')?.ev).toMatchObject({ output_text: 'saw x' })
    expect(await last(stage.store)).toMatchObject({ type: 'run.completed' })
  })

  test('an unknown model fails the run, not the process', async () => {
    const stage = openStage(createMemoryStore(), model())
    await seed(stage.store, opening('go'))
    await playOut(stage)
    expect(await last(stage.store)).toMatchObject({ type: 'run.failed' })
  })

  test('a call id that the provider used before gets a new one', async () => {
    const again = scriptedModel([])
    const stage = await start({
      ...again,
      async *stream({ messages }) {
        const round = messages.filter(m => m.role === 'assistant').length
        if (round < 2) yield* [...begin, { type: 'block-end', index: 0 }] as ModelPart[]
        else yield { type: 'start', provider_message_id: 'm', model: 'm' }
        const finish = round < 2 ? 'tool_calls' : 'stop'
        yield { type: 'end', stop_reason: finish, finish, usage }
      },
    })
    await stage.runtime.settled()
    const ids = (await readAll(stage.store)).flatMap(({ ev }) =>
      ev.type === 'tool.completed' ? [ev.call_id] : [],
    )
    expect(new Set(ids).size).toBe(2)
    expect(ids[0]).toBe('toolu_1')
  })
})

test('a writer that lost its ownership writes nothing more', async () => {
  const { model, reached, release } = gatedModel()
  const stage = openStage(createMemoryStore(), model)
  await seed(stage.store, opening('go'))
  await stage.runtime.start()
  await reached
  await stage.store.claim({ node: 'thief', ttlMs: 60_000, max: 1, session: SESSION })
  const before = await readAll(stage.store)
  release()
  await stage.runtime.settled()
  expect(await readAll(stage.store)).toEqual(before)
})

test('a store that fails for a while is waited out; nothing is lost or doubled', async () => {
  const store = createMemoryStore()
  let failures = 5
  const flaky: Store = Object.assign(Object.create(store) as Store, {
    append: async (writes: Parameters<Store['append']>[0]) => {
      if (writes[0]?.as && failures-- > 0) throw new Error('disk full')
      return await store.append(writes)
    },
    read: store.read.bind(store),
    claim: store.claim.bind(store),
    watch: store.watch.bind(store),
  })
  const stage = openStage(flaky, scriptedModel([{ calls: [{ name: 'peek', input: { at: 'x' } }] }]))
  await seed(store, opening('go'))
  await playOut({ ...stage, store })
  const seqs = (await readAll(store)).map(r => r.seq)
  expect(seqs).toEqual(seqs.map((_, i) => i + 1))
  expect((await types(store)).filter(t => t === 'run.completed')).toHaveLength(1)
})

test('a cancel in the middle of a call leaves neither the call nor the message open', async () => {
  const reached = Promise.withResolvers<void>()
  const store = createMemoryStore()
  // Slow enough that what the model said last is still on its way to the log when the run is closed.
  const slow: Store = Object.assign(Object.create(store) as Store, {
    append: async (writes: Parameters<Store['append']>[0]) => {
      if (writes[0]?.as) await new Promise(resolve => setTimeout(resolve, 5))
      return await store.append(writes)
    },
    read: store.read.bind(store),
    claim: store.claim.bind(store),
    watch: store.watch.bind(store),
  })
  const stage = openStage(slow, {
    provider: 'p',
    id: 'm',
    async *stream(_, signal): AsyncGenerator<ModelPart> {
      yield { type: 'start', provider_message_id: 'm', model: 'm' }
      reached.resolve()
      await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
      // A provider's last words may still be on their way.
      yield { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: 'toolu_late', name: 'peek' } }
      yield { type: 'error', error: { code: 'interrupted', message: 'aborted', retryable: true } }
    },
  })
  await seed(store, opening('go'))
  await stage.runtime.start()
  await reached.promise
  await add(stage, { type: 'input.cancel', ts: AT, reason: 'enough', by: 'user' })
  await stage.runtime.settled()
  const all = await types(store)
  expect(all).toContain('block.started')
  expect(all.filter(t => t === 'block.started').length).toBe(all.filter(t => t === 'tool.failed').length)
  expect(all.slice(-2)).toEqual(['message.aborted', 'run.cancelled'])
})

test('a session whose release failed is claimed again, not lost until a restart', async () => {
  const store = createMemoryStore()
  let failures = 1
  const flaky: Store = Object.assign(Object.create(store) as Store, {
    append: async (writes: Parameters<Store['append']>[0]) => {
      if (writes[0]?.releaseIfHead !== undefined && failures-- > 0) throw new Error('disk error')
      return await store.append(writes)
    },
    read: store.read.bind(store),
    claim: store.claim.bind(store),
    watch: store.watch.bind(store),
  })
  const stage = openStage(flaky, scriptedModel([]))
  await seed(store, opening('go'))
  await stage.runtime.start()
  await stage.runtime.settled()
  expect(stage.errors.map(String)).toEqual(['Error: disk error'])
  await store.append([{ session: SESSION, events: [message('again', 'run-2')], state: 'running' }])
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
  expect((await types(store)).filter(t => t === 'run.completed')).toHaveLength(2)
})

test('a message that supersedes is heard behind one that waits for the pause', async () => {
  const stage = await start(scriptedModel([{ calls: [{ name: 'browse', input: {} }] }]))
  await stage.runtime.settled()
  await add(stage, { ...message('later', 'run-2'), if_paused: 'queue' } as SessionEvent)
  await add(stage, { ...message('now', 'run-3'), if_paused: 'supersede' } as SessionEvent)
  await stage.runtime.settled()
  expect((await types(stage.store)).filter(t => t === 'run.cancelled').length).toBeGreaterThan(0)
})
