/** Subagents as a user meets them: their work in the session's log, their questions in its pause. */
import type { Model, ModelPart, ModelRequest, SessionEvent, Store } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { describe, expect, test } from 'vitest'
import { promptFor, type ScriptedCall, type ScriptedTurn, scriptedModel } from './scripted-model.ts'
import {
  answerAll,
  fold,
  message,
  opening,
  openStage,
  playOut,
  readAll,
  SESSION,
  type Stage,
  seed,
} from './stage.ts'

const AT = '2026-01-01T00:00:00.000Z'
const agent = (turns: readonly ScriptedTurn[], more: object = {}): ScriptedCall => ({
  name: 'Agent',
  input: { prompt: promptFor(turns), ...more },
})
const peek: ScriptedCall = { name: 'peek', input: { at: 'x' } }
const poke: ScriptedCall = { name: 'poke', input: { at: 'x' } }

async function start(
  model: Model,
  events: readonly SessionEvent[] = opening('go'),
): Promise<Stage & { readonly events: () => Promise<readonly SessionEvent[]> }> {
  const stage = openStage(createMemoryStore(), model)
  await seed(stage.store, events)
  await stage.runtime.start()
  stage.runtime.wake(SESSION)
  return { ...stage, events: async () => (await readAll(stage.store)).map(rec => rec.ev) }
}

async function add(stage: Stage, ...events: readonly SessionEvent[]): Promise<void> {
  await stage.store.append([{ session: SESSION, events, state: 'running' }])
  stage.runtime.wake(SESSION)
}

/** The results that the root agent's model saw. */
async function results(store: Store) {
  const { messages } = await fold(store)
  return messages.flatMap(m => (m.role === 'tool' ? m.results : []))
}

describe('a task that an agent does alone', () => {
  test('its events carry its id, its report is the result, and it is offered no agents', async () => {
    const seen: ModelRequest[] = []
    const stage = await start(scriptedModel([{ calls: [agent([{ calls: [peek] }])] }], seen))
    await stage.runtime.settled()
    expect(await results(stage.store)).toMatchObject([
      {
        name: 'Agent',
        is_error: false,
        output_text: expect.stringMatching(/^Report: peek saw x\n\[Agent id: agent_\S+\]$/),
      },
    ])
    const own = (await stage.events()).filter(ev => ev.agent_run_id !== undefined)
    expect(new Set(own.map(ev => ev.agent_run_id)).size).toBe(1)
    expect(own.map(ev => ev.type).filter(type => /^(agent|run)/.test(type))).toEqual([
      'agent.started',
      'run.started',
      'run.completed',
      'agent.finished',
    ])
    expect(seen.map(r => r.tools.some(tool => tool.name === 'Agent'))).toEqual([true, false, false, true])
    expect(seen[1]?.system).toMatch(/one task for another agent/)
    expect((await fold(stage.store)).agents).toEqual({})
  })

  test('its usage is part of the run that started it', async () => {
    const stage = await start(scriptedModel([{ calls: [agent([{ calls: [peek] }])] }]))
    await stage.runtime.settled()
    const ends = (await stage.events()).flatMap(ev => (ev.type === 'run.completed' ? [ev] : []))
    expect(ends.map(end => [end.usage_by_model[0]?.usage.input, end.num_turns])).toEqual([
      [20, 2],
      [40, 2],
    ])
    expect(ends[1]?.cost_usd).toBeCloseTo(0.004)
  })

  test('an unknown type names the known ones and starts nothing', async () => {
    const stage = await start(scriptedModel([{ calls: [agent([], { subagent_type: 'wizard' })] }]))
    await stage.runtime.settled()
    const [result] = await results(stage.store)
    expect(result).toMatchObject({ is_error: true })
    expect(result?.output_text).toMatch(/"wizard".*general-purpose, explore/)
    expect((await stage.events()).some(ev => ev.type === 'agent.started')).toBe(false)
  })

  test('one that runs out of turns reports what it has, and that is no error', async () => {
    const turns = Array.from({ length: 60 }, (_, i) => ({
      text: `step ${i}`,
      calls: [{ name: 'peek', input: { at: `${i}` } }],
    }))
    const stage = await start(scriptedModel([{ calls: [agent(turns)] }]))
    await stage.runtime.settled()
    const [result] = await results(stage.store)
    expect(result).toMatchObject({ is_error: false })
    expect(result?.output_text).toMatch(/^step 49\n\[The agent stopped early: .*50 turns/)
  })

  test('one that shares a used up budget stops too', async () => {
    const [created, input] = opening('go')
    const turns = Array.from({ length: 9 }, (_, i) => ({ calls: [{ name: 'peek', input: { at: `${i}` } }] }))
    const stage = await start(scriptedModel([{ calls: [agent(turns)] }]), [
      created,
      { ...input, max_cost_usd: 0.003 },
    ] as SessionEvent[])
    await stage.runtime.settled()
    const failed = (await stage.events()).flatMap(ev => (ev.type === 'run.failed' ? [ev] : []))
    expect(failed.map(ev => [ev.agent_run_id !== undefined, ev.error.code, ev.num_turns])).toEqual([
      [true, 'budget_exceeded', 2],
      [false, 'budget_exceeded', 1],
    ])
  })

  test('one that ends without a word says so', async () => {
    const stage = await start(scriptedModel([{ calls: [agent([{ calls: [] }])] }]))
    await stage.runtime.settled()
    expect((await results(stage.store))[0]?.output_text).toMatch(/without a final message.*stop/)
  })

  test('its calls never share an id with those of the session or of another', async () => {
    const four = agent([{ calls: [peek, peek, peek, peek] }])
    const stage = await start(scriptedModel([{ calls: [peek, four, four] }]))
    await stage.runtime.settled()
    const ids = (await stage.events()).flatMap(ev =>
      ev.type === 'block.started' && ev.tool ? [ev.tool.call_id] : [],
    )
    expect(ids).toHaveLength(11)
    expect(new Set(ids).size).toBe(11)
  })
})

describe('an agent that has to ask', () => {
  const asking = () => scriptedModel([{ calls: [agent([{ calls: [poke, { name: 'browse', input: {} }] }])] }])

  test('its questions are those of the session, with its id; the answers wake it', async () => {
    const stage = await start(asking())
    await stage.runtime.settled()
    const pause = (await stage.events()).at(-1)
    expect(pause).toMatchObject({
      type: 'run.paused',
      reason: 'client_tool_execution',
      pending: [
        { kind: 'approval', name: 'poke', agent_run_id: expect.stringMatching(/^agent_/) },
        { kind: 'client_tool', name: 'browse', agent_run_id: expect.stringMatching(/^agent_/) },
      ],
    })
    expect(pause).not.toHaveProperty('agent_run_id')
    await answerAll(stage, await fold(stage.store))
    stage.runtime.wake(SESSION)
    await stage.runtime.settled()
    expect((await results(stage.store))[0]?.output_text).toMatch(
      /^Report: poke poked x; browse page says hi\n\[Agent id: agent_\S+\]$/,
    )
    expect([...stage.effects.values()]).toEqual([1])
  })

  test('a partial answer leaves the rest waiting; the run that processes it is the answer’s own', async () => {
    const stage = await start(asking())
    await stage.runtime.settled()
    const nested = Object.values((await fold(stage.store)).agents)[0]
    const approval = nested?.calls.find(call => call.approval)
    await add(stage, {
      type: 'input.approval',
      ts: AT,
      run_id: 'r2',
      agent_run_id: nested?.agent_run_id,
      call_id: approval?.call_id ?? '',
      approval_id: approval?.approval?.approval_id ?? '',
      decision: 'denied',
      reason: 'not now',
    })
    await stage.runtime.settled()
    const events = await stage.events()
    expect(events.findLast(ev => ev.type === 'run.resumed' && ev.agent_run_id === undefined)).toMatchObject({
      run_id: 'r2',
      resolved: [approval?.call_id],
    })
    expect(events.at(-1)).toMatchObject({ type: 'run.paused', run_id: 'r2', pending: [{ name: 'browse' }] })
    await playOut(stage)
    expect((await results(stage.store))[0]?.output_text).toContain('not now')
    expect(stage.effects.size).toBe(0)
  })

  test('a rule that an answer to it asks for holds for the whole session', async () => {
    const stage = await start(scriptedModel([{ calls: [agent([{ calls: [poke] }])] }, { calls: [poke] }]))
    await stage.runtime.settled()
    const nested = Object.values((await fold(stage.store)).agents)[0]
    await add(stage, {
      type: 'input.approval',
      ts: AT,
      run_id: 'r2',
      agent_run_id: nested?.agent_run_id,
      call_id: nested?.calls[0]?.call_id ?? '',
      approval_id: nested?.calls[0]?.approval?.approval_id ?? '',
      decision: 'approved',
      rule: 'poke',
    })
    await stage.runtime.settled()
    expect(stage.effects.size).toBe(2)
    expect((await stage.events()).at(-1)).toMatchObject({ type: 'run.completed' })
  })

  test('a call of the session that waits for a person does not keep it from working', async () => {
    const stage = await start(
      scriptedModel([{ calls: [poke, agent([{ calls: [peek] }, { calls: [poke] }])] }]),
    )
    await stage.runtime.settled()
    expect((await stage.events()).at(-1)).toMatchObject({ type: 'run.paused', pending: [{}, {}] })
    await playOut(stage)
    expect(stage.effects.size).toBe(2)
  })

  test('twelve at once do not take the places that their own calls need', async () => {
    const [created, input] = opening('go')
    const calls = Array.from({ length: 12 }, () => agent([{ calls: [poke] }]))
    const stage = await start(scriptedModel([{ calls }]), [
      { ...created, permission_mode: 'bypassPermissions' },
      input,
    ] as SessionEvent[])
    await stage.runtime.settled()
    expect((await results(stage.store)).map(r => r.output_text)).toEqual(
      calls.map(() => expect.stringMatching(/^Report: poke poked x\n\[Agent id: agent_\S+\]$/)),
    )
  })
})

describe('agents of agents, where that is allowed', () => {
  const deep = async () => {
    const model = scriptedModel([{ calls: [agent([{ calls: [agent([{ calls: [poke] }])] }])] }])
    const stage = openStage(createMemoryStore(), model, new Map(), { max_depth: 2 })
    await seed(stage.store, opening('go'))
    await stage.runtime.start()
    stage.runtime.wake(SESSION)
    await stage.runtime.settled()
    return stage
  }

  test('the innermost question reaches the session, and its answer the innermost agent', async () => {
    const stage = await deep()
    const state = await fold(stage.store)
    const [outer, inner] = Object.keys(state.agents)
    expect(inner).toMatch(new RegExp(`^${outer}\\.`))
    expect((await readAll(stage.store)).at(-1)?.ev).toMatchObject({
      type: 'run.paused',
      pending: [{ name: 'poke', agent_run_id: inner }],
    })
    await playOut(stage)
    expect((await results(stage.store))[0]?.output_text).toMatch(
      /^Report: Agent Report: poke poked x\n\[Agent id: agent_\S+\]\n\[Agent id: agent_\S+\]$/,
    )
    expect([...stage.effects.values()]).toEqual([1])
  })

  test('a cancel closes them from the inside out', async () => {
    const stage = await deep()
    const [outer, inner] = Object.keys((await fold(stage.store)).agents)
    await add(stage, { type: 'input.cancel', ts: AT, reason: 'enough', by: 'user' })
    await stage.runtime.settled()
    const finished = (await readAll(stage.store)).flatMap(({ ev }) =>
      ev.type === 'agent.finished' ? [ev.agent_run_id] : [],
    )
    expect(finished).toEqual([inner, outer])
    expect((await fold(stage.store)).agents).toEqual({})
  })
})

describe('cancel', () => {
  test('of a pause closes the subagent with everything in it', async () => {
    const stage = await start(scriptedModel([{ calls: [agent([{ calls: [poke] }])] }]))
    await stage.runtime.settled()
    await add(stage, { type: 'input.cancel', ts: AT, reason: 'enough', by: 'user' })
    await stage.runtime.settled()
    const tail = (await stage.events()).slice(-6)
    expect(tail.map(ev => [ev.type, ev.agent_run_id !== undefined])).toEqual([
      ['tool.approval_resolved', true],
      ['tool.failed', true],
      ['run.cancelled', true],
      ['agent.finished', true],
      ['tool.failed', false],
      ['run.cancelled', false],
    ])
    expect(await fold(stage.store)).toMatchObject({ phase: 'idle', agents: {} })
  })

  test('while the subagent writes: its half message is marked, both runs end once', async () => {
    const { model, reached } = stuckBelow()
    const stage = await start(model)
    await reached
    await add(stage, { type: 'input.cancel', ts: AT, reason: 'enough', by: 'user' })
    await stage.runtime.settled()
    const types = (await stage.events()).map(ev => ev.type)
    for (const type of ['message.aborted', 'agent.finished', 'tool.failed'] as const)
      expect(
        types.filter(one => one === type),
        type,
      ).toHaveLength(1)
    expect(types.filter(one => one === 'run.cancelled')).toHaveLength(2)
    expect(types.at(-1)).toBe('run.cancelled')
  })

  test('of the subagent alone gives its parent a result, and the run continues', async () => {
    const { model, reached } = stuckBelow()
    const stage = await start(model)
    await reached
    const [id] = Object.keys((await fold(stage.store)).agents)
    await add(stage, { type: 'input.cancel', ts: AT, agent_run_id: id, reason: 'wrong way', by: 'user' })
    await stage.runtime.settled()
    expect(await results(stage.store)).toMatchObject([
      { is_error: true, output_text: expect.stringContaining('wrong way') },
    ])
    expect((await stage.events()).at(-1)).toMatchObject({ type: 'run.completed' })
  })

  test('a new message instead of an answer closes the subagent and is answered', async () => {
    const stage = await start(scriptedModel([{ calls: [agent([{ calls: [poke] }])] }]))
    await stage.runtime.settled()
    await add(stage, { ...message('never mind', 'run-2'), if_paused: 'supersede' } as SessionEvent)
    await stage.runtime.settled()
    const types = (await stage.events()).map(ev => ev.type)
    expect(types.filter(type => type === 'agent.finished')).toHaveLength(1)
    expect(await fold(stage.store)).toMatchObject({ run: { run_id: 'run-2' }, agents: {} })
  })

  test('a server that stops leaves the subagent to the next one, which continues it', async () => {
    const { model, reached } = stuckBelow()
    const stage = await start(model)
    await reached
    await stage.runtime.stop()
    expect((await stage.events()).some(ev => ev.type === 'agent.finished')).toBe(false)
    const next = openStage(stage.store, scriptedModel([]))
    await playOut(next)
    const types = (await stage.events()).map(ev => ev.type)
    expect(types.filter(type => type === 'agent.started')).toHaveLength(1)
    expect((await results(stage.store))[0]).toMatchObject({
      is_error: false,
      output_text: expect.stringMatching(/^The end\.\n\[Agent id: agent_\S+\]$/),
    })
  })
})

/** The root calls an agent, whose model stops in the middle of its message until it is aborted. */
function stuckBelow(): { readonly model: Model; readonly reached: Promise<void> } {
  const reached = Promise.withResolvers<void>()
  const root = scriptedModel([{ calls: [{ name: 'Agent', input: { prompt: 'wait' } }] }])
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    const first = request.messages[0]
    const part = first?.role === 'user' ? first.content[0] : undefined
    if (part?.type !== 'text' || part.text !== 'wait') return yield* root.stream(request, signal)
    yield { type: 'start', provider_message_id: 'm', model: 'script' }
    yield { type: 'block-start', index: 0, kind: 'text' }
    yield { type: 'block-delta', index: 0, text: 'half ' }
    reached.resolve()
    await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
    yield { type: 'error', error: { code: 'interrupted', message: 'aborted', retryable: true } }
  }
  return { model: { provider: 'script', id: 'script', stream }, reached: reached.promise }
}

test('an agent has no tool that its session lacks, whatever its kind names', async () => {
  const [created, input] = opening('go')
  const seen: ModelRequest[] = []
  const types = { everything: { description: 'all', system: 'Do it.', tools: ['*', 'poke'] } }
  const call = agent([{ calls: [poke] }], { subagent_type: 'everything' })
  const stage = openStage(createMemoryStore(), scriptedModel([{ calls: [call] }], seen), new Map(), { types })
  await seed(stage.store, [{ ...created, tools: ['Agent', 'peek'] }, input] as SessionEvent[])
  await playOut(stage)
  await stage.runtime.stop()
  expect(seen[1]?.tools?.map(tool => tool.name)).toEqual(['peek'])
  expect(stage.effects.size).toBe(0)
  expect((await results(stage.store))[0]?.output_text).toContain('No such tool available: poke')
})

describe('the architect', () => {
  test('that ends without a plan has failed, with the reason', async () => {
    const plan = { name: 'Architect', input: { prompt: promptFor([{ calls: [] }]) } }
    const stage = await start(scriptedModel([{ calls: [plan] }]))
    await stage.runtime.settled()
    expect((await results(stage.store))[0]).toMatchObject({
      is_error: true,
      output_text: expect.stringMatching(/without a plan.*stop/),
    })
  })

  test('has no tool that writes, even when permissions are bypassed', async () => {
    const [created, input] = opening('go')
    const plan = {
      name: 'Architect',
      input: { prompt: promptFor([{ calls: [poke, { name: 'browse', input: {} }] }]) },
    }
    const seen: ModelRequest[] = []
    const stage = await start(scriptedModel([{ calls: [plan] }], seen), [
      { ...created, permission_mode: 'bypassPermissions' },
      input,
    ] as SessionEvent[])
    await stage.runtime.settled()
    expect(stage.effects.size).toBe(0)
    expect(seen[1]?.tools).toEqual([])
    expect((await results(stage.store))[0]?.output_text).toMatch(
      /No such tool available: poke.*No such tool available: browse/,
    )
  })
})
