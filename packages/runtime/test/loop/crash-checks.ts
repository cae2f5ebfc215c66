/** Plays generated runs to their end, kills them at any event, and checks what every log must hold. */
import {
  endsRun,
  evolve,
  initial,
  type Model,
  type ModelRequest,
  type Rec,
  type StateSource,
  type Store,
} from '@toolwire/core'
import fc from 'fast-check'
import { expect } from 'vitest'
import { checkAgreement } from '../../../core/test/facts/agreement.ts'
import { promptFor, type ScriptedCall, type ScriptedTurn, scriptedModel } from './scripted-model.ts'
import { essence, opening, openStage, playOut, readAll, seed } from './stage.ts'

const call = fc.record({
  name: fc.constantFrom('peek', 'poke', 'boom', 'browse', 'quiz', 'form', 'nosuch'),
  input: fc.oneof(fc.constant({ at: 'x' }), fc.constant({ at: 'y' }), fc.constant({ wrong: 1 })),
})
const turnOf = (calls: fc.Arbitrary<ScriptedCall[]>): fc.Arbitrary<ScriptedTurn> =>
  fc.record(
    {
      retried: fc.boolean(),
      thinking: fc.constant('hm'),
      text: fc.constantFrom('Let me see.', '看一看。'),
      calls,
      finish: fc.constantFrom('tool_calls', 'tool_calls', 'tool_calls', 'length'),
    },
    { requiredKeys: ['calls'] },
  ) as fc.Arbitrary<ScriptedTurn>
export const script = fc.array(turnOf(fc.array(call, { minLength: 1, maxLength: 3 })), {
  minLength: 0,
  maxLength: 3,
})

/** A call that has a subagent play its own script, with everything a script may hold. */
const agentCall: fc.Arbitrary<ScriptedCall> = fc
  .array(turnOf(fc.array(call, { minLength: 1, maxLength: 2 })), { minLength: 1, maxLength: 2 })
  .map(turns => ({ name: 'Agent', input: { prompt: promptFor(turns) } }))
export const nestedScript = fc
  .tuple(
    fc.array(agentCall, { minLength: 1, maxLength: 2 }),
    fc.array(call, { maxLength: 1 }),
    fc.boolean(),
    fc.array(call, { maxLength: 1 }),
  )
  .map(([agents, beside, first, later]): readonly ScriptedTurn[] => [
    { calls: first ? [...agents, ...beside] : [...beside, ...agents] },
    ...(later.length > 0 ? [{ calls: later }] : []),
  ])

/** One agent in the background beside other calls: it may ask, fail, and outlive the run. */
export const backgroundScript = fc
  .tuple(
    fc.array(turnOf(fc.array(call, { minLength: 1, maxLength: 2 })), { minLength: 1, maxLength: 2 }),
    fc.array(call, { maxLength: 1 }),
  )
  .map(([turns, beside]): readonly ScriptedTurn[] => [
    {
      calls: [{ name: 'Agent', input: { prompt: promptFor(turns), run_in_background: true } }, ...beside],
    },
  ])

export type Opened = { readonly store: Store; readonly done: () => Promise<void> }

/** A process that is killed when it wants to write for the second time, or that has nothing to write. */
export async function dieEarly(store: Store, model: Model): Promise<void> {
  const dead = Promise.withResolvers<void>()
  let writes = 0
  const dying = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name !== 'append') return value.bind(target)
      return async (...args: Parameters<Store['append']>) => {
        if (++writes === 1) return await store.append(...args)
        dead.resolve()
        return await new Promise(() => {})
      }
    },
  })
  const { runtime } = openStage(dying, model)
  await runtime.start()
  await Promise.race([dead.promise, runtime.settled()])
}

export interface Full {
  readonly records: readonly Rec[]
  readonly end: unknown
}

export async function fromStart(open: () => Promise<Opened>, turns: readonly ScriptedTurn[]): Promise<Full> {
  const { store, done } = await open()
  const stage = openStage(store, scriptedModel(turns))
  await seed(store, opening('go'))
  const state = await playOut(stage)
  const records = await readAll(store)
  await stage.runtime.stop()
  await done()
  checkLog(records)
  checkAgreement(records)
  return { records, end: essence(state) }
}

interface Restart {
  /** Events in the log when the process was killed. */
  readonly cut: number
  readonly kills?: number
  /** What the next process finds of the state, given the log. */
  readonly statesOf?: (store: Store, prefix: readonly Rec[]) => Promise<StateSource>
}

export async function resumesAt(
  open: () => Promise<Opened>,
  turns: readonly ScriptedTurn[],
  full: Full,
  { cut, kills = 0, statesOf }: Restart,
): Promise<void> {
  const { store, done } = await open()
  const requests: ModelRequest[] = []
  const seeded = full.records.slice(0, cut)
  await seed(
    store,
    seeded.map(rec => rec.ev),
  )
  for (let i = 0; i < kills; i += 1) await dieEarly(store, scriptedModel(turns))
  const prefix = kills === 0 ? seeded : await readAll(store)
  const states = await statesOf?.(store, await readAll(store))
  const stage = openStage(store, scriptedModel(turns, requests), new Map(effectsOf(prefix)), { states })
  const state = await playOut(stage)
  const records = await readAll(store)
  await stage.runtime.stop()
  await done()
  checkLog(records)
  for (const request of requests) checkPaired(request)
  // A write call that may have run before the crash is never run again, and the model gets a note.
  for (const [id, count] of stage.effects) expect(count, `${id} ran ${count} times`).toBeLessThanOrEqual(1)
  if (lostWrites(seeded).length === 0 && lostWrites(prefix).length === 0)
    expect(essence(state)).toEqual(full.end)
  else expect(JSON.stringify(requests.map(r => r.messages))).toContain('may or may not')
}

/** Calls that the log shows as completed writes. */
function effectsOf(prefix: readonly Rec[]): Map<string, number> {
  const pokes = new Set(
    prefix.flatMap(({ ev }) => (ev.type === 'tool.ready' && ev.name === 'poke' ? [ev.call_id] : [])),
  )
  return new Map(
    prefix.flatMap(({ ev }) =>
      ev.type === 'tool.started' && pokes.has(ev.call_id) ? [[ev.call_id, 1] as const] : [],
    ),
  )
}

function lostWrites(prefix: readonly Rec[]): readonly string[] {
  const state = prefix.reduce(evolve, initial())
  return [state, ...Object.values(state.agents)]
    .flatMap(agent => agent.calls)
    .filter(c => c.name === 'poke' && c.started && !c.outcome)
    .map(c => c.call_id)
}

/** The invariants of every log, cut or not. */
export function checkLog(records: readonly Rec[]): void {
  const stored = JSON.parse(JSON.stringify(records)) as readonly Rec[]
  const bytesOf = (log: readonly Rec[]): string => JSON.stringify(log.reduce(evolve, initial()))
  expect(bytesOf(stored), 'the state after a restart').toBe(bytesOf(records))
  const types = new Map<string, number>()
  const started = new Map<string, number>()
  const count = (of: Map<string, number>, key: string) => of.set(key, (of.get(key) ?? 0) + 1)
  for (const { ev } of records) {
    const run = `${ev.run_id ?? ''} ${ev.agent_run_id ?? ''}`
    if (ev.type === 'run.started') count(started, run)
    if (endsRun(ev.type)) count(types, run)
    if (ev.type === 'agent.started') count(started, ev.agent_run_id)
    if (ev.type === 'agent.finished') count(types, ev.agent_run_id)
  }
  const told = records.flatMap(({ ev }) => (ev.type === 'input.message' && ev.notifies ? [ev.notifies] : []))
  expect(new Set(told).size, 'ends of agents told twice').toBe(told.length)
  for (const [run, times] of started) expect(types.get(run), `ends of run ${run}`).toBe(times)
  // A subagent may pause and continue within one run of its session; a run of the session or a subagent starts once.
  for (const [run, times] of started) if (!run.includes(' agent_')) expect(times, `starts of ${run}`).toBe(1)
  const terminal = new Map<string, number>()
  for (const { ev } of records)
    if (ev.type === 'tool.completed' || ev.type === 'tool.failed')
      terminal.set(ev.call_id, (terminal.get(ev.call_id) ?? 0) + 1)
  for (const { ev } of records)
    if (ev.type === 'block.started' && ev.tool)
      expect(terminal.get(ev.tool.call_id) ?? 0, `terminal events of ${ev.tool.call_id}`).toBeLessThanOrEqual(
        1,
      )
  for (const { ev } of records)
    if (ev.type === 'tool.ready') expect(terminal.get(ev.call_id), `terminal events of ${ev.call_id}`).toBe(1)
}

/** Every call of an assistant message is answered in the message right behind it. */
export function checkPaired(request: ModelRequest): void {
  request.messages.forEach((m, i) => {
    if (m.role !== 'assistant') return
    const asked = m.content.flatMap(p => (p.type === 'tool_use' ? [p.call_id] : []))
    const next = request.messages[i + 1]
    const answered = next?.role === 'tool' ? next.results.map(r => r.call_id) : []
    expect(answered).toEqual(asked)
  })
}
