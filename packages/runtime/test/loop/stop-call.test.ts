/** Stopping one call: it ends as interrupted, its siblings and the run continue. */
import type { SessionEvent } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { createAgentTool, createToolSystem, defineTool } from '@toolwire/tools'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { createRuntime } from '../../src/runtime.ts'
import { promptFor, type ScriptedTurn, scriptedModel } from './scripted-model.ts'
import { fold, message, opening, readAll, SESSION, seed, testTools } from './stage.ts'

const AT = '2026-01-01T00:00:00.000Z'
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** `hang` runs until it is stopped; `hung` resolves when it has begun. */
async function start(turns: readonly ScriptedTurn[]) {
  const store = createMemoryStore()
  const begun = Promise.withResolvers<void>()
  const effects = new Map<string, number>()
  const hang = defineTool({
    name: 'hang',
    description: 'hangs',
    input: z.strictObject({}),
    isReadOnly: () => true,
    eager: false,
    async *call(_, { signal }) {
      begun.resolve()
      if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve))
      yield { type: 'result', output_text: 'stopped' }
    },
  })
  let n = 0
  const runtime = createRuntime({
    log: store,
    models: () => scriptedModel(turns),
    tools: createToolSystem({ tools: [...testTools(effects), hang, createAgentTool()] }),
    ids: { uuid: () => `run-s${++n}`, prefixed: prefix => `${prefix}s${++n}` },
    clock: { now: () => new Date(AT) },
    node: 'stop-node',
    toolNames: [],
    maxTurns: 20,
    onError: error => {
      throw error
    },
  })
  stops.push(() => runtime.stop())
  await seed(store, opening('go'))
  await runtime.start()
  runtime.wake(SESSION)
  async function stop(call_id: string, more: Partial<SessionEvent> = {}): Promise<void> {
    const event = { type: 'input.cancel', ts: AT, run_id: 'c', reason: 'no', by: 'user', call_id, ...more }
    await store.append([{ session: SESSION, events: [event as SessionEvent], state: 'running' }])
    runtime.wake(SESSION)
  }
  return { store, runtime, begun: begun.promise, effects, stop }
}

const ends = async (store: Awaited<ReturnType<typeof start>>['store']) =>
  (await readAll(store)).flatMap(({ ev }) =>
    ev.type === 'tool.completed' || ev.type === 'tool.failed' ? [ev] : [],
  )
const callOf = async (store: Awaited<ReturnType<typeof start>>['store'], name: string): Promise<string> =>
  (await readAll(store)).flatMap(({ ev }) =>
    ev.type === 'tool.ready' && ev.name === name ? [ev.call_id] : [],
  )[0] ?? ''

test('a stopped running call ends as interrupted; its sibling ends by itself and the run continues', async () => {
  const stage = await start([
    {
      calls: [
        { name: 'hang', input: {} },
        { name: 'peek', input: { at: 'x' } },
      ],
    },
  ])
  await stage.begun
  const id = await callOf(stage.store, 'hang')
  await stage.stop(id)
  await stage.runtime.settled()
  const all = await ends(stage.store)
  expect(all.find(end => end.call_id === id)).toMatchObject({
    type: 'tool.failed',
    error: { code: 'interrupted' },
    output_text: expect.stringMatching(/^Interrupted by the user after/),
  })
  expect(all.find(end => end.call_id !== id)).toMatchObject({ type: 'tool.completed', output_text: 'saw x' })
  expect((await readAll(stage.store)).at(-1)?.ev.type).toBe('run.completed')
})

test('a call that waits for an approval is withdrawn and never runs; the other question stays open', async () => {
  const poke = (at: string) => ({ name: 'poke', input: { at } })
  const stage = await start([{ calls: [poke('a'), poke('b')] }])
  await stage.runtime.settled()
  const [first, second] = (await fold(stage.store)).calls
  await stage.stop(first?.call_id ?? '')
  await stage.runtime.settled()
  const state = await fold(stage.store)
  expect(state.phase).toBe('paused')
  expect(state.calls.map(call => call.outcome?.failure?.code)).toEqual(['interrupted', undefined])
  expect(state.calls[1]?.approval?.approval_id).toBe(second?.approval?.approval_id)
  const resolved = (await readAll(stage.store)).flatMap(({ ev }) =>
    ev.type === 'tool.approval_resolved' ? [ev] : [],
  )
  expect(resolved).toMatchObject([{ approval_id: first?.approval?.approval_id, decision: 'cancelled' }])
  expect(stage.effects.size).toBe(0)
})

test('a call that works through an agent ends with it, and the parent gets a result', async () => {
  const prompt = promptFor([{ calls: [{ name: 'poke', input: { at: 'x' } }] }])
  const stage = await start([{ calls: [{ name: 'Agent', input: { prompt } }] }])
  await stage.runtime.settled()
  const [call] = (await fold(stage.store)).calls
  await stage.stop(call?.call_id ?? '')
  await stage.runtime.settled()
  const log = (await readAll(stage.store)).map(rec => rec.ev)
  expect(log.find(ev => ev.type === 'agent.finished')).toMatchObject({ outcome: 'error' })
  expect(log.at(-1)).toMatchObject({ type: 'run.completed' })
  expect((await ends(stage.store)).map(end => [end.type, end.agent_run_id !== undefined])).toEqual([
    ['tool.failed', true],
    ['tool.failed', false],
  ])
})

test('a running agent ends with its call, with one end for everything below', async () => {
  const prompt = promptFor([{ calls: [{ name: 'hang', input: {} }] }])
  const stage = await start([{ calls: [{ name: 'Agent', input: { prompt } }] }])
  await stage.begun
  await stage.stop(await callOf(stage.store, 'Agent'))
  await stage.runtime.settled()
  const log = (await readAll(stage.store)).map(rec => rec.ev)
  expect(log.filter(ev => ev.type === 'agent.finished')).toMatchObject([{ outcome: 'error' }])
  expect((await ends(stage.store)).map(end => end.type)).toEqual(['tool.failed', 'tool.failed'])
  expect(log.at(-1)).toMatchObject({ type: 'run.completed' })
})

test('a client tool that is stopped needs no answer any more', async () => {
  const stage = await start([{ calls: [{ name: 'browse', input: {} }] }])
  await stage.runtime.settled()
  const [call] = (await fold(stage.store)).calls
  await stage.stop(call?.call_id ?? '')
  await stage.runtime.settled()
  expect(await ends(stage.store)).toMatchObject([{ error: { code: 'interrupted' } }])
  expect((await fold(stage.store)).phase).toBe('idle')
})

test('a second stop, and one for a call that has ended, change nothing', async () => {
  const stage = await start([{ calls: [{ name: 'peek', input: { at: 'x' } }] }])
  await stage.runtime.settled()
  const id = await callOf(stage.store, 'peek')
  await stage.stop(id)
  await stage.stop(id)
  await stage.runtime.settled()
  expect(await ends(stage.store)).toHaveLength(1)
  await stage.store.append([{ session: SESSION, events: [message('again', 'run-9')], state: 'running' }])
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
  expect((await readAll(stage.store)).at(-1)?.ev.type).toBe('run.completed')
})
