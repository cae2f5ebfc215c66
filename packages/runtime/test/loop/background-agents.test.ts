/** Background agents: they outlive the run, ask when they must, and their end is reported once. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Model, ModelRequest, SessionEvent, Store } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import type { AgentOptions } from '@toolwire/tools'
import { afterEach, describe, expect, test } from 'vitest'
import { createBackgroundAgents } from '../../src/loop/background.ts'
import type { DriveDeps } from '../../src/loop/drive.ts'
import { Journal } from '../../src/loop/journal.ts'
import { promptFor, type ScriptedCall, type ScriptedTurn, scriptedModel } from './scripted-model.ts'
import { answerAll, fold, opening, openStage, readAll, SESSION, type Stage, seed } from './stage.ts'

const AT = '2026-01-01T00:00:00.000Z'
const peek: ScriptedCall = { name: 'peek', input: { at: 'x' } }
const poke: ScriptedCall = { name: 'poke', input: { at: 'x' } }
const agent = (turns: readonly ScriptedTurn[], more: object = {}): ScriptedCall => ({
  name: 'Agent',
  input: { prompt: promptFor(turns), ...more },
})
const background = (turns: readonly ScriptedTurn[]): ScriptedCall => agent(turns, { run_in_background: true })

const open: Stage[] = []
afterEach(async () => {
  for (const stage of open.splice(0)) await stage.runtime.stop()
})

async function start(
  turns: readonly ScriptedTurn[],
  { seen = [], options = {} }: { readonly seen?: ModelRequest[]; readonly options?: AgentOptions } = {},
): Promise<Stage> {
  const stage = openStage(createMemoryStore(), scriptedModel(turns, seen), new Map(), options)
  open.push(stage)
  await seed(stage.store, opening('go'))
  await stage.runtime.start()
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
  return stage
}

const events = async (store: Store): Promise<readonly SessionEvent[]> =>
  (await readAll(store)).map(rec => rec.ev)
const notices = async (store: Store) =>
  (await events(store)).flatMap(ev => (ev.type === 'input.message' && ev.notifies ? [ev] : []))

async function add(stage: Stage, ...more: readonly SessionEvent[]): Promise<void> {
  await stage.store.append([{ session: SESSION, events: more, state: 'running' }])
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
}

async function results(store: Store) {
  const { messages } = await fold(store)
  return messages.flatMap(m => (m.role === 'tool' ? m.results : []))
}

describe('an agent in the background', () => {
  test('the call does not wait; the report comes as one message that starts a separate run', async () => {
    const stage = await start([{ calls: [background([{ calls: [peek] }])] }])
    const [result] = await results(stage.store)
    expect(result).toMatchObject({ is_error: false, output_text: expect.stringMatching(/in the background/) })
    const told = await notices(stage.store)
    expect(told).toHaveLength(1)
    expect(JSON.stringify(told[0]?.content)).toContain('Report: peek saw x')
    const log = await events(stage.store)
    const launched = log.findIndex(ev => ev.type === 'tool.completed' && ev.agent_run_id === undefined)
    const finished = log.findIndex(ev => ev.type === 'agent.finished')
    expect(launched).toBeLessThan(finished)
    expect(log.filter(ev => ev.type === 'run.completed' && ev.agent_run_id === undefined)).toHaveLength(2)
    expect((await fold(stage.store)).agents).toEqual({})
  })

  test('its question stays open when the run has ended, and its answer wakes it, after a restart too', async () => {
    const stage = await start([{ calls: [background([{ calls: [poke] }])] }])
    const before = await fold(stage.store)
    expect(before.phase).toBe('idle')
    const [row] = (await stage.store.list({ ids: [SESSION], limit: 1 })).items
    expect(row?.state).toBe('paused')
    expect(await notices(stage.store)).toHaveLength(0)
    await stage.runtime.stop()

    const later = openStage(stage.store, scriptedModel([]), stage.effects)
    open.push(later)
    await later.runtime.start()
    await answerAll(later, await fold(later.store))
    later.runtime.wake(SESSION)
    await later.runtime.settled()
    expect(later.effects.size).toBe(1)
    expect(await notices(later.store)).toHaveLength(1)
    expect(JSON.stringify(await notices(later.store))).toContain('poke poked x')
  })

  test('a crash between its end and the message loses nothing and reports it once', async () => {
    const stage = await start([{ calls: [background([{ calls: [peek] }])] }])
    const log = await events(stage.store)
    const at = log.findIndex(ev => ev.type === 'agent.finished')
    for (const cut of [at, at + 1]) {
      const again = openStage(createMemoryStore(), scriptedModel([]))
      open.push(again)
      await seed(again.store, log.slice(0, cut))
      await again.runtime.start()
      again.runtime.wake(SESSION)
      await again.runtime.settled()
      expect(again.errors).toEqual([])
      expect(await notices(again.store), `cut at ${cut}`).toHaveLength(1)
      expect((await fold(again.store)).agents).toEqual({})
    }
  })

  test('two owners that both find its end report it once', async () => {
    const stage = await start([{ calls: [background([{ calls: [peek] }])] }])
    const log = await events(stage.store)
    const store = createMemoryStore()
    await seed(store, log.slice(0, log.findIndex(ev => ev.type === 'agent.finished') + 1))
    const [claimed] = await store.claim({ node: 'a', ttlMs: 60_000, max: 1, session: SESSION })
    if (!claimed) throw new Error('not claimed')
    const { signal } = new AbortController()
    const owners = await Promise.all([1, 2].map(() => Journal.open(store, claimed, signal)))
    const clock = { now: () => new Date(AT) }
    const nobody = { detach() {}, look() {} }
    for (const journal of owners) {
      const options = {
        log: store,
        clock,
        newUuid: () => 'run-x',
        ...nobody,
        deps: { tools: {} } as DriveDeps,
      }
      await createBackgroundAgents(journal, options, signal).tell()
    }
    expect(await notices(store)).toHaveLength(1)
  })

  test('cancelling the session stops it, and no message follows', async () => {
    const stage = await start([{ calls: [background([{ calls: [poke] }])] }])
    await add(stage, { type: 'input.cancel', ts: AT, run_id: 'r9', reason: 'enough', by: 'user' })
    const log = await events(stage.store)
    expect(log.some(ev => ev.type === 'run.cancelled' && ev.agent_run_id !== undefined)).toBe(true)
    expect(log.findLast(ev => ev.type === 'tool.approval_resolved')).toMatchObject({ decision: 'cancelled' })
    expect(await notices(stage.store)).toHaveLength(0)
    expect((await fold(stage.store)).agents).toEqual({})
  })
})

test('one of two agents in the background is stopped by itself', async () => {
  const asking = background([{ calls: [poke] }])
  const stage = await start([{ calls: [asking, asking] }])
  const [first] = Object.keys((await fold(stage.store)).agents)
  await add(stage, {
    type: 'input.cancel',
    ts: AT,
    run_id: 'c',
    reason: 'no',
    by: 'user',
    agent_run_id: first,
  })
  const state = await fold(stage.store)
  expect(Object.keys(state.agents)).toHaveLength(1)
  expect(Object.keys(state.agents)).not.toContain(first)
  expect(await notices(stage.store)).toHaveLength(0)
})

describe('an agent in the background, seen by the agent that started it', () => {
  const asking = background([{ text: 'Looking around.', calls: [poke] }])
  /** A script that reads the id of the agent from the result of the first call. */
  const about = (name: string): Model => {
    const script = scriptedModel([{ calls: [asking] }])
    return {
      ...script,
      async *stream(request, signal) {
        const launched = request.messages
          .flatMap(said => (said.role === 'tool' ? said.results : []))
          .find(result => result.name === 'Agent')
        const id = /id is (\S+)\./.exec(launched?.output_text ?? '')?.[1]
        const isDone = request.messages.some(
          said => said.role === 'tool' && said.results.some(result => result.name === name),
        )
        if (id === undefined || isDone) return yield* script.stream(request, signal)
        const input = name === 'TaskList' ? {} : { task_id: id }
        const turns = [{ calls: [] }, { calls: [{ name, input }] }]
        yield* scriptedModel(turns).stream(request, signal)
      },
    }
  }
  async function play(model: Model): Promise<Stage> {
    const stage = openStage(createMemoryStore(), model)
    open.push(stage)
    await seed(stage.store, opening('go'))
    await stage.runtime.start()
    stage.runtime.wake(SESSION)
    await stage.runtime.settled()
    return stage
  }
  const said = async (stage: Stage, name: string): Promise<string> =>
    (await results(stage.store)).find(result => result.name === name)?.output_text ?? '(none)'

  test('is stopped by TaskStop: its run ends, and no message reports it', async () => {
    const stage = await play(about('TaskStop'))
    expect(await said(stage, 'TaskStop')).toMatch(/has been stopped/)
    const log = await events(stage.store)
    expect(log.some(ev => ev.type === 'run.cancelled' && ev.agent_run_id !== undefined)).toBe(true)
    expect((await fold(stage.store)).agents).toEqual({})
    expect(await notices(stage.store)).toHaveLength(0)
  })

  test('is listed, and TaskOutput gives its latest text', async () => {
    expect(await said(await play(about('TaskList')), 'TaskList')).toMatch(
      /^agent_\S+ (works|waits for a person)/,
    )
    expect(await said(await play(about('TaskOutput')), 'TaskOutput')).toMatch(/^agent_\S+ (works|waits)/)
  })

  test('has a file from its beginning, which holds its report in the end; a long report is cut in its message', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolwire-reports-'))
    try {
      const long = 'x'.repeat(40_000)
      const script = scriptedModel([{ calls: [background([{ text: long, calls: [] }])] }])
      const stage = openStage(createMemoryStore(), script, new Map(), { artifacts: folder })
      open.push(stage)
      await seed(stage.store, opening('go'))
      await stage.runtime.start()
      stage.runtime.wake(SESSION)
      await stage.runtime.settled()
      const done = (await events(stage.store)).find(ev => ev.type === 'tool.completed')
      const { outputFile } = (done?.type === 'tool.completed' ? done.structured : {}) as {
        outputFile: string
      }
      expect(readFileSync(outputFile, 'utf8')).toContain(long)
      const [told] = await notices(stage.store)
      const text = JSON.stringify(told?.content)
      expect(text.length).toBeLessThan(32_000)
      expect(text).toContain(outputFile)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

test("an agent's effort is the one it was given, and its parent's when it was given none", async () => {
  const seen: ModelRequest[] = []
  await start([{ calls: [agent([], { effort: 'high' }), agent([])] }], { seen })
  const efforts = seen.map(request => request.options?.['reasoning_effort'])
  expect(efforts.toSorted()).toEqual(['high', undefined, undefined, undefined])
})

describe('an agent that has ended', () => {
  const first = agent([{ calls: [peek] }])

  test('continues by its id with its whole history', async () => {
    const seen: ModelRequest[] = []
    const store = createMemoryStore()
    const stage = openStage(store, scriptedModel([{ calls: [first] }], seen))
    open.push(stage)
    await seed(store, opening('go'))
    await stage.runtime.start()
    stage.runtime.wake(SESSION)
    await stage.runtime.settled()
    const id = Object.keys((await fold(store)).past_agents ?? {})[0] ?? ''
    await stage.runtime.stop()

    const again = openStage(store, scriptedModel([{ calls: [agent([], { resume: id })] }], seen))
    open.push(again)
    await again.runtime.start()
    const next = opening('go on', 'run-2')[1] as SessionEvent
    await add(again, next)
    const resumed = seen.find(
      request => JSON.stringify(request.messages[0]).includes('script:') && request.messages.length > 4,
    )
    expect(resumed?.messages.map(m => m.role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
    expect((await results(store)).at(-1)).toMatchObject({ name: 'Agent', is_error: false })
  })

  test('an unknown id is refused, and nothing is started', async () => {
    const stage = await start([{ calls: [agent([], { resume: 'agent_nobody' })] }])
    expect((await results(stage.store))[0]).toMatchObject({
      is_error: true,
      output_text: expect.stringMatching(/agent_nobody/),
    })
    expect((await events(stage.store)).some(ev => ev.type === 'agent.started')).toBe(false)
  })
})

describe('limits of agents', () => {
  test('beyond the number of a run none is started, and that is no error', async () => {
    const one = agent([{ calls: [peek] }])
    const stage = await start([{ calls: [one, one, one] }], { options: { max_agents: 2 } })
    const all = await results(stage.store)
    expect(all.map(result => result.is_error)).toEqual([false, false, false])
    expect(all.filter(result => /No agent was started.*2 agents/.test(result.output_text))).toHaveLength(1)
    expect((await events(stage.store)).filter(ev => ev.type === 'agent.started')).toHaveLength(2)
  })

  test('one that has spent its own budget reports what it has', async () => {
    const turns = Array.from({ length: 9 }, (_, i) => ({
      text: `step ${i}`,
      calls: [{ name: 'peek', input: { at: `${i}` } }],
    }))
    const stage = await start([{ calls: [agent(turns)] }], { options: { max_cost_usd: 0.002 } })
    const [result] = await results(stage.store)
    expect(result).toMatchObject({ is_error: false })
    expect(result?.output_text).toMatch(/^step 1\n\[The agent stopped early: .*\$0.002/)
    expect((await events(stage.store)).at(-1)).toMatchObject({ type: 'run.completed' })
  })

  test('its usage is reported by tool', async () => {
    const stage = await start([{ calls: [agent([{ calls: [peek, peek] }])] }])
    const done = (await events(stage.store)).find(
      ev => ev.type === 'tool.completed' && ev.agent_run_id === undefined,
    )
    expect(done).toMatchObject({
      structured: { status: 'completed', totalToolUseCount: 2, toolStats: { peek: 2 } },
    })
  })
})
