/**
 * A history that outgrows its model: space is freed, the session continues, and a crash anywhere changes nothing.
 */
import {
  type Compaction,
  type EventOf,
  evolve,
  type HistoryMessage,
  initial,
  type Model,
  type ModelRequest,
  modelHistory,
  type Rec,
  type SessionEvent,
  type SessionState,
  type Store,
} from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { createAgentTool, createToolSystem, defineTool } from '@toolwire/tools'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { planCompaction } from '../../src/loop/plan-compaction.ts'
import { createRuntime, type Runtime } from '../../src/runtime.ts'
import { essence, fold, message, opening, readAll, SESSION, seed } from './stage.ts'
import { isSummary, type Windowed, windowedModel } from './windowed-model.ts'

const AT = '2026-01-01T00:00:00.000Z'

/** A tool with long outputs, since those are what fills histories. */
const dig = defineTool({
  name: 'dig',
  description: 'digs',
  input: z.strictObject({ step: z.number() }),
  isReadOnly: () => true,
  async *call({ step }) {
    yield { type: 'result', output_text: `step ${step}: ${'earth '.repeat(500)}` }
  },
})

let nodes = 0

function start(store: Store, model: Model, compaction?: boolean): Runtime {
  nodes += 1
  const node = `c${nodes}`
  let n = 0
  return createRuntime({
    log: store,
    models: () => model,
    tools: createToolSystem({ tools: [dig, createAgentTool({})] }),
    ids: { uuid: () => `run-${node}-${++n}`, prefixed: prefix => `${prefix}${node}_${++n}` },
    clock: { now: () => new Date(AT) },
    node,
    toolNames: ['dig'],
    maxTurns: 40,
    ...(compaction === undefined ? {} : { compaction }),
    onError(error) {
      throw error
    },
  })
}

/** Lets a session with these messages run, one after another. */
async function play(
  model: Model,
  texts: readonly string[],
  how: { readonly compaction?: boolean; readonly options?: Record<string, unknown> } = {},
): Promise<{ readonly store: Store; readonly state: SessionState; readonly records: readonly Rec[] }> {
  const store = createMemoryStore()
  const runtime = start(store, model, how.compaction)
  await runtime.start()
  const [first = '', ...rest] = texts
  await seed(store, withOptions(opening(first), how.options))
  runtime.wake(SESSION)
  await runtime.settled()
  for (const [place, text] of rest.entries()) {
    const events = withOptions([message(text, `run-${place + 2}`)], how.options)
    await store.append([{ session: SESSION, events, state: 'running' }])
    runtime.wake(SESSION)
    await runtime.settled()
  }
  await runtime.stop()
  return { store, state: await fold(store), records: await readAll(store) }
}

const withOptions = (
  events: readonly SessionEvent[],
  options: Record<string, unknown> | undefined,
): readonly SessionEvent[] =>
  options ? events.map(ev => (ev.type === 'input.message' ? { ...ev, options } : ev)) : events

const of = <T extends SessionEvent['type']>(records: readonly Rec[], type: T): readonly EventOf<T>[] =>
  records.flatMap(({ ev }) => (ev.type === type ? [ev as EventOf<T>] : []))

const long = (text: string): string => `${text} ${'word '.repeat(400)}`
const talk = ['a', 'b', 'c', 'd', 'e', 'f'].map(long)
const endOf = (records: readonly Rec[]) => records.at(-1)?.ev

describe('a conversation that outgrows its model', () => {
  test('continues with a summary of its beginning, and with the latest messages as they were', async () => {
    const model = windowedModel({ window: 9_000 })
    const { records } = await play(model, talk)
    expect(of(records, 'run.completed')).toHaveLength(talk.length)
    expect(of(records, 'run.failed')).toEqual([])
    const [first] = of(records, 'history.compacted')
    expect(first).toMatchObject({ shortened: [] })
    expect(first?.summary).toContain('Notes of it all.')
    const shown = model.seen.at(-1)?.messages ?? []
    expect(JSON.stringify(shown[0])).toContain('Notes of it all.')
    expect(shown.at(-1)).toMatchObject({ role: 'user', content: [{ text: talk.at(-1) }] })
  })

  test('gives the earlier summary to the later one', async () => {
    const model = windowedModel({ window: 9_000 })
    const { records } = await play(model, [...talk, ...talk])
    expect(of(records, 'history.compacted').length).toBeGreaterThan(1)
    expect(JSON.stringify(model.summaries.at(-1)?.messages)).toContain('Notes of it all.')
  })

  test('keeps everything in the session', async () => {
    const { state } = await play(windowedModel({ window: 9_000 }), talk)
    const said = state.messages.flatMap(one => (one.role === 'user' ? one.content : []))
    expect(said).toEqual(talk.map(text => ({ type: 'text', text })))
  })

  test('notifies the user, once, with the next message', async () => {
    const { records } = await play(windowedModel({ window: 9_000 }), talk)
    const compacted = of(records, 'history.compacted').length
    const told = of(records, 'message.started').flatMap(ev => ev.warnings ?? [])
    expect(told.length).toBeLessThanOrEqual(compacted)
    expect(told[0]).toMatchObject({ code: 'history_compacted' })
    expect(told[0]?.message).toMatch(/summary replaces its first \d+ messages/)
  })

  test('includes the cost of the summary', async () => {
    const { records } = await play(windowedModel({ window: 9_000 }), talk)
    const aborted = of(records, 'message.aborted').find(ev => ev.usage)
    expect(aborted).toMatchObject({
      reason: 'compaction',
      cost_usd: 0.5,
      error: { code: 'context_too_long' },
    })
    const costs = of(records, 'run.completed').map(ev => ev.cost_usd)
    expect(costs).toContain(1)
  })

  test('includes the cost of a retried attempt at the summary', async () => {
    const { records } = await play(windowedModel({ window: 9_000, sums: 'twice' }), talk)
    const aborted = of(records, 'message.aborted').find(ev => ev.usage)
    expect(aborted).toMatchObject({ usage: { input: 20, output: 10 }, cost_usd: 1 })
    expect(of(records, 'run.completed').map(ev => ev.cost_usd)).toContain(1.5)
  })

  test.for(['badly', 'mute'] as const)(
    'continues without a summary when the model summarizes %s, and names the gap',
    async sums => {
      const { records } = await play(windowedModel({ window: 9_000, sums }), talk)
      expect(of(records, 'run.completed')).toHaveLength(talk.length)
      expect(of(records, 'history.compacted')[0]?.summary).toMatch(/\d+ earlier messages did not fit/)
    },
  )

  test.for([
    ['the server', { compaction: false }],
    ['the request', { options: { compaction: 'off' } }],
    ['a request that takes no changes', { options: { refuse_changes: true } }],
  ] as const)('fails with a typed error where %s wants that', async ([, how]) => {
    const { records } = await play(windowedModel({ window: 9_000 }), talk, how)
    expect(endOf(records)).toMatchObject({ type: 'run.failed', error: { code: 'context_too_long' } })
    expect(of(records, 'history.compacted')).toEqual([])
  })

  test('continues where the request wants that and the server does not', async () => {
    const how = { compaction: false, options: { compaction: 'on' } }
    const { records } = await play(windowedModel({ window: 9_000 }), talk, how)
    expect(of(records, 'run.completed')).toHaveLength(talk.length)
    expect(of(records, 'history.compacted').length).toBeGreaterThan(0)
  })

  test('fails with a typed error when one message alone is too long, and continues with the next', async () => {
    const huge = 'word '.repeat(5_000)
    const { records } = await play(windowedModel({ window: 9_000 }), ['hello', huge, 'and now?'])
    const ends = records.filter(({ ev }) => ev.type === 'run.failed' || ev.type === 'run.completed')
    expect(ends.map(({ ev }) => ev.type)).toEqual(['run.completed', 'run.failed', 'run.completed'])
    expect(ends[1]?.ev).toMatchObject({ error: { code: 'context_too_long' } })
  })

  test('is compacted before anything is sent when the provider counted it last', async () => {
    const refused: ModelRequest[] = []
    const inner = windowedModel({ window: 1_000_000 })
    // Its count is far beyond its window.
    const model: Model = {
      ...inner,
      context: 10,
      async *stream(request, signal) {
        if (!isSummary(request)) refused.push(request)
        yield* inner.stream(request, signal)
      },
    }
    const { records } = await play(model, ['a', 'b'])
    expect(of(records, 'history.compacted')).toHaveLength(1)
    expect(refused).toHaveLength(2)
    expect(JSON.stringify(refused[1]?.messages)).toContain('Notes of it all.')
  })
})

describe('a run that outgrows its model by its own calls', () => {
  test('shows only the beginning of older outputs, and needs no summary for that', async () => {
    const model = windowedModel({ window: 12_000, steps: 6 })
    const { records } = await play(model, ['dig'])
    expect(endOf(records)).toMatchObject({ type: 'run.completed', result_text: 'Done after 6.' })
    const compacted = of(records, 'history.compacted')
    expect(compacted[0]).toMatchObject({ replaced: 0, shortened: ['toolu_0', 'toolu_1'] })
    expect(model.summaries).toEqual([])
    const shown = JSON.stringify(model.seen.at(-1)?.messages)
    expect(shown).toContain('was shortened to save room')
  })

  test('ends also when even that does not fit, with the request in the words of the person', async () => {
    const model = windowedModel({ window: 5_500, steps: 12 })
    const { records } = await play(model, ['dig twelve times, please'])
    expect(endOf(records)).toMatchObject({ type: 'run.completed', result_text: 'Done after 12.' })
    expect(of(records, 'history.compacted').at(-1)?.summary).toContain(
      'The request that is being worked on: dig twelve times, please',
    )
  })

  test('works the same in a subagent, without touching the history of its session', async () => {
    const inner = windowedModel({ window: 9_000, steps: 6 })
    const agent = agentFirst(inner)
    const { records } = await play(agent, ['go'])
    expect(endOf(records)).toMatchObject({ type: 'run.completed' })
    const compacted = of(records, 'history.compacted')
    expect(compacted.length).toBeGreaterThan(0)
    for (const event of compacted) expect(event.agent_run_id).toMatch(/^agent_/)
  })
})

/** Starts an agent when the session asks; the agent is the windowed model. */
function agentFirst(inner: Windowed): Model {
  return {
    ...inner,
    async *stream(request, signal) {
      const first = request.messages[0]
      const isRoot = first?.role === 'user' && JSON.stringify(first).includes('"go"')
      if (!isRoot) return yield* inner.stream(request, signal)
      if (request.messages.length > 1) return yield* windowedModel({ window: 9_000 }).stream(request, signal)
      const input = { description: 'd', prompt: 'dig deep' }
      yield { type: 'start', provider_message_id: 'm', model: 'windowed' }
      yield { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: 'toolu_a', name: 'Agent' } }
      yield { type: 'block-delta', index: 0, input_text: JSON.stringify(input) }
      yield { type: 'block-end', index: 0 }
      const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
      yield { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage }
    },
  }
}

describe('a cancel in the middle of a summary', () => {
  test('ends the run as cancelled, with what the summary used, and nothing is compacted', async () => {
    const reached = Promise.withResolvers<void>()
    const inner = windowedModel({ window: 9_000 })
    const usage = { input: 7, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
    const model: Model = {
      ...inner,
      async *stream(request, signal) {
        if (!isSummary(request)) return yield* inner.stream(request, signal)
        reached.resolve()
        await new Promise<void>(done => signal.addEventListener('abort', () => done(), { once: true }))
        yield { type: 'error', error: { code: 'interrupted', message: 'x', retryable: true }, usage }
      },
    }
    const store = createMemoryStore()
    const runtime = start(store, model)
    await runtime.start()
    await seed(store, [
      ...opening(long('a')),
      ...talk.map((text, place) => message(text, `run-${place + 2}`)),
    ])
    runtime.wake(SESSION)
    await reached.promise
    const stop: SessionEvent = { type: 'input.cancel', ts: AT, reason: 'enough', by: 'user' }
    await store.append([{ session: SESSION, events: [stop], state: 'running' }])
    runtime.wake(SESSION)
    while (of(await readAll(store), 'run.cancelled').length === 0) await new Promise(setImmediate)
    await runtime.stop()
    const records = await readAll(store)
    const [cancelled] = of(records, 'run.cancelled')
    expect(cancelled?.usage_by_model).toMatchObject([{ usage: { input: 7 } }])
    const end = records.findIndex(({ ev }) => ev.type === 'run.cancelled')
    expect(of(records.slice(0, end), 'history.compacted')).toEqual([])
  })
})

describe('kill after every event, restart', () => {
  test.for([
    ['a conversation', 0, 7_000, talk.slice(0, 4)],
    ['a run with many calls', 6, 5_500, ['dig']],
  ] as const)(
    '%s that is compacted comes to the same end, and every request fits or is refused',
    async ([, steps, window, texts]) => {
      const opened = [...opening(texts[0] ?? ''), ...texts.slice(1).map((t, i) => message(t, `run-${i + 2}`))]
      const through = async (prefix: readonly SessionEvent[]) => {
        const store = createMemoryStore()
        const model = windowedModel({ window, steps })
        const runtime = start(store, model)
        await seed(store, prefix)
        await runtime.start()
        runtime.wake(SESSION)
        await runtime.settled()
        await runtime.stop()
        return { model, state: await fold(store), records: await readAll(store) }
      }
      const full = await through(opened)
      expect(of(full.records, 'history.compacted').length).toBeGreaterThan(0)
      for (let cut = opened.length; cut < full.records.length; cut += 1) {
        const prefix = full.records.slice(0, cut).map(rec => rec.ev)
        const { model, state, records } = await through(prefix)
        expect(essence(state), `cut at ${cut}`).toEqual(essence(full.state))
        expect(of(records, 'run.failed')).toEqual([])
        for (const request of model.seen) expect(unpaired(request.messages)).toEqual([])
        // The same records show the model the same, for every reader.
        expect(modelHistory(records.reduce(evolve, initial()))).toEqual(modelHistory(state))
      }
    },
  )
})

/** Calls that are not answered right behind their message, and results that answer nothing. */
function unpaired(messages: readonly HistoryMessage[]): readonly string[] {
  return messages.flatMap((one, place) => {
    const asked = callsOf(messages[place - 1])
    const given = one.role === 'tool' ? one.results.map(result => result.call_id) : []
    return JSON.stringify(asked) === JSON.stringify(given) ? [] : [`${place}: ${asked} / ${given}`]
  })
}

const callsOf = (one: HistoryMessage | undefined): readonly string[] =>
  one?.role === 'assistant'
    ? one.content.flatMap(part => (part.type === 'tool_use' ? [part.call_id] : []))
    : []

describe('the plan', () => {
  const turn = fc.record({
    role: fc.constantFrom('user', 'user', 'system' as const),
    text: fc.constantFrom('hello', 'x'.repeat(3000)),
    outputs: fc.array(fc.constantFrom('short', 'y'.repeat(3000)), { maxLength: 4 }),
  })
  const history = fc.array(turn, { minLength: 1, maxLength: 6 }).map(turns =>
    turns.flatMap((one, t): readonly HistoryMessage[] => [
      { role: one.role as 'user' | 'system', content: [{ type: 'text', text: one.text }] },
      ...one.outputs.flatMap((output_text, n): readonly HistoryMessage[] => [
        {
          role: 'assistant',
          message_id: 'm',
          provider: 'p',
          model: 'm',
          content: [{ type: 'tool_use', call_id: `c${t}_${n}`, name: 'dig', input_text: '{}' }],
        },
        {
          role: 'tool',
          results: [
            {
              type: 'tool_result',
              call_id: `c${t}_${n}`,
              name: 'dig',
              output_text,
              content: [],
              is_error: false,
            },
          ],
        },
      ]),
    ]),
  )

  test('goes further each time, comes to an end, and never parts a call from its result', () => {
    fc.assert(
      fc.property(history, messages => {
        let compaction: Compaction | undefined
        for (let rounds = 0; ; rounds += 1) {
          expect(rounds, 'rounds').toBeLessThan(100)
          const plan = planCompaction(messages, compaction)
          if (!plan) break
          const before = [compaction?.replaced ?? 0, compaction?.shortened.length ?? 0] as const
          compaction =
            plan.type === 'shorten'
              ? { replaced: 0, ...compaction, shortened: plan.shortened, is_news: true }
              : { replaced: plan.replaced, summary: 'short', shortened: [], is_news: true }
          if (plan.type === 'summarise') expect(plan.replaced).toBeGreaterThan(before[0])
          else expect(plan.shortened.length).toBeGreaterThan(before[1])
          const shown = modelHistory({ ...initial(), messages, compaction })
          expect(unpaired(shown)).toEqual([])
          expect(shown.at(-1)?.role).toBe(messages.at(-1)?.role)
        }
      }),
      { numRuns: 300 },
    )
  })
})
