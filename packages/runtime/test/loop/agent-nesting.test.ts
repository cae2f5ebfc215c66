/** The location of agents' work: in the session's own log, below the call that started it. */
import type { EventOf, SessionEvent } from '@toolwire/core'
import { applyRecords, emptyView } from '@toolwire/core/view'
import { createMemoryStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { promptFor, type ScriptedCall, type ScriptedTurn, scriptedModel } from './scripted-model.ts'
import { fold, opening, openStage, playOut, readAll, seed } from './stage.ts'

const agent = (turns: readonly ScriptedTurn[]): ScriptedCall => ({
  name: 'Agent',
  input: { prompt: promptFor(turns) },
})
const poke: ScriptedCall = { name: 'poke', input: { at: 'x' } }

async function played() {
  const model = scriptedModel([{ calls: [agent([{ calls: [agent([{ calls: [poke] }])] }])] }])
  const stage = openStage(createMemoryStore(), model, new Map(), { max_depth: 2 })
  await seed(stage.store, opening('go'))
  await playOut(stage)
  await stage.runtime.stop()
  return await readAll(stage.store)
}

const begun = (events: readonly SessionEvent[]): readonly EventOf<'agent.started'>[] =>
  events.flatMap(ev => (ev.type === 'agent.started' ? [ev] : []))

test('an agent names the call that began it and the agent that made the call; all its events carry its id', async () => {
  const events = (await played()).map(rec => rec.ev)
  const calls = events.flatMap(ev =>
    ev.type === 'block.started' && ev.tool ? [{ ...ev.tool, of: ev.agent_run_id }] : [],
  )
  const [outerCall, innerCall, poked] = calls
  const [outer, inner] = begun(events)
  expect(calls.map(call => call.name)).toEqual(['Agent', 'Agent', 'poke'])
  expect(outer).toMatchObject({ parent_call_id: outerCall?.call_id })
  expect(outer?.parent_agent_run_id).toBeUndefined()
  expect(inner).toMatchObject({
    parent_call_id: innerCall?.call_id,
    parent_agent_run_id: outer?.agent_run_id,
  })
  expect([outerCall?.of, innerCall?.of, poked?.of]).toEqual([
    undefined,
    outer?.agent_run_id,
    inner?.agent_run_id,
  ])
  for (const { agent_run_id } of [outer, inner].flatMap(one => one ?? [])) {
    const own = events.filter(ev => ev.agent_run_id === agent_run_id).map(ev => ev.type)
    expect([own[0], own.at(-1)]).toEqual(['agent.started', 'agent.finished'])
    expect(own).toEqual(expect.arrayContaining(['run.started', 'turn.started', 'run.completed']))
  }
})

test('a follower of the session sees the agents below their calls, with their actions', async () => {
  const records = await played()
  const view = applyRecords(emptyView(), records)
  const [outer, inner] = begun(records.map(rec => rec.ev))
  expect(view.agents.get(outer?.agent_run_id ?? '')).toMatchObject({ parent_call: outer?.parent_call_id })
  expect(view.agents.get(inner?.agent_run_id ?? '')).toMatchObject({ parent_call: inner?.parent_call_id })
  const states = [...view.calls.values()].map(call => [call.name, call.agent, call.state])
  expect(states).toEqual([
    ['Agent', undefined, 'success'],
    ['Agent', outer?.agent_run_id, 'success'],
    ['poke', inner?.agent_run_id, 'success'],
  ])
})

test('nothing of an agent is left in the state of an idle session', async () => {
  const model = scriptedModel([{ calls: [agent([{ calls: [poke] }])] }])
  const stage = openStage(createMemoryStore(), model)
  await seed(stage.store, opening('go'))
  await playOut(stage)
  await stage.runtime.stop()
  expect(await fold(stage.store)).toMatchObject({ phase: 'idle', agents: {} })
})
