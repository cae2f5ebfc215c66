/** Rules for one kind of agent: they free or bind agents of that kind, and no others. */
import { resolve } from 'node:path'
import type { SessionEvent } from '@toolwire/core'
import { createAgentTool, createArchitectTool, createToolSystem } from '@toolwire/tools'
import { afterEach, describe, expect, test } from 'vitest'
import type { PermissionRequest } from '../../../tools/src/permissions/permission-request.ts'
import { judge } from '../../../tools/src/permissions/policy.ts'
import { loadRules, parseRule, type RuleSet } from '../../../tools/src/permissions/rules.ts'
import type { Runtime } from '../../src/runtime.ts'
import { runWithTools } from './run-with-tools.ts'
import { promptFor, type ScriptedCall, scriptedModel } from './scripted-model.ts'
import { fold, readAll, SESSION, testTools } from './stage.ts'

const poke: ScriptedCall = { name: 'poke', input: { at: 'x' } }
const TYPES = {
  worker: { description: 'works', system: 'Work.' },
  looker: { description: 'looks', system: 'Look.' },
}
const agent = (subagent_type: string, more: object = {}): ScriptedCall => ({
  name: 'Agent',
  input: { prompt: promptFor([{ calls: [poke] }]), subagent_type, ...more },
})

const running: Runtime[] = []
afterEach(async () => {
  for (const runtime of running.splice(0)) await runtime.stop()
})

/** One session in which these calls are made, one turn each; how often something was poked, and what was asked. */
async function play(calls: readonly ScriptedCall[], rules: RuleSet) {
  const effects = new Map<string, number>()
  const tools = createToolSystem({
    tools: [...testTools(effects), createAgentTool({ types: TYPES, max_depth: 2 }), createArchitectTool()],
    artifacts: '/dev/null/artifacts',
    permissions: { rules },
  })
  const model = scriptedModel([{ calls }])
  const { store, runtime } = await runWithTools(model, tools)
  running.push(runtime)
  const events = async () => (await readAll(store)).map(({ ev }) => ev)
  const asked = (await events()).filter(ev => ev.type === 'tool.approval_requested')
  const add = async (...more: SessionEvent[]): Promise<void> => {
    await store.append([{ session: SESSION, events: more, state: 'running' }])
    runtime.wake(SESSION)
    await runtime.settled()
  }
  const list = async () => await tools.permissions.list(await fold(store))
  return { effects, asked, events, add, list, tools, state: () => fold(store) }
}

/** A second message that has these calls made. */
const saying = (calls: readonly ScriptedCall[]): SessionEvent => ({
  type: 'input.message',
  ts: '2026-01-01T00:00:00.000Z',
  run_id: 'run-2',
  message_id: 'in_2',
  role: 'user',
  content: [{ type: 'text', text: promptFor([{ calls }]) }],
})

const offered = (details: unknown): unknown => (details as { suggested_rule?: unknown }).suggested_rule

describe('a rule that names a kind of agent', () => {
  test('allows agents of that kind, and neither others nor the session’s own', async () => {
    const { effects, asked } = await play([agent('worker'), agent('looker'), poke], {
      allow: ['@worker poke'],
    })
    expect(effects.size).toBe(1)
    expect(asked.map(ev => offered(ev.details)).sort()).toEqual(['@looker poke', 'poke'])
  })

  test('goes by the kind, not by a name that a model chose', async () => {
    const { effects, asked } = await play([agent('looker', { name: 'worker' })], { allow: ['@worker poke'] })
    expect(effects.size).toBe(0)
    expect(asked.map(ev => offered(ev.details))).toEqual(['@looker poke'])
  })

  test('applies to a background agent too, long after its call', async () => {
    const { effects, events } = await play([agent('worker', { run_in_background: true })], {
      allow: ['@worker poke'],
    })
    expect(effects.size).toBe(1)
    expect((await events()).find(ev => ev.type === 'agent.started')).toMatchObject({ agent_type: 'worker' })
  })

  test('of the session’s own agent binds or frees that one alone', async () => {
    const free = await play([poke, agent('worker')], { allow: ['@main poke'] })
    expect([free.effects.size, free.asked.length]).toEqual([1, 1])
    const bound = await play([poke, agent('worker')], { allow: ['poke'], deny: ['@main poke'] })
    expect([bound.effects.size, bound.asked.length]).toEqual([1, 0])
  })

  test('that an approver takes as it was offered spares that kind the next question, and is listed as it is', async () => {
    const first = await play([agent('worker')], {})
    const [question] = first.asked
    if (!question) throw new Error('it asks')
    await first.add({
      type: 'input.approval',
      ts: question.ts,
      ...(question.agent_run_id === undefined ? {} : { agent_run_id: question.agent_run_id }),
      approval_id: question.approval_id,
      call_id: question.call_id,
      decision: 'approved',
      rule: String(offered(question.details)),
    })
    expect(first.effects.size).toBe(1)
    expect((await first.list()).map(({ rule, revocable }) => [rule, revocable])).toEqual([
      ['@worker poke', true],
    ])
    await first.add(saying([agent('worker'), agent('looker')]))
    expect(first.effects.size).toBe(2)
    const asked = (await first.events()).filter(ev => ev.type === 'tool.approval_requested')
    expect(asked.map(ev => offered(ev.details))).toEqual(['@worker poke', '@looker poke'])
  })
})

test('a call is explained, and a rule rehearsed, for the kind of agent that would make it', async () => {
  const { tools, state } = await play([], { allow: ['@worker poke'] })
  const session = await state()
  const explain = async (kind?: string) => {
    const request = { session_id: SESSION, session, tool: 'poke', input: { at: 'x' } }
    return (await tools.explain({ ...request, ...(kind === undefined ? {} : { agent: kind }) })).decision
  }
  expect([await explain('worker'), await explain('looker'), await explain()]).toEqual(['allow', 'ask', 'ask'])
  const made = (call_id: string, more: object) => ({ call_id, name: 'poke', input: { at: 'x' }, ...more })
  const calls = [made('a', { agent: 'main' }), made('b', { agent: 'looker' }), made('c', {})]
  const { allowed } = await tools.rehearse({ session_id: SESSION, session, rule: '@looker poke', calls })
  expect(allowed.map(one => one.call_id)).toEqual(['b'])
})

test('a resumed agent keeps its type, whatever the call says', async () => {
  const { events, add, effects } = await play([agent('looker')], {
    allow: ['@worker poke'],
    deny: ['@looker poke'],
  })
  const started = (await events()).find(ev => ev.type === 'agent.started')
  if (started?.type !== 'agent.started') throw new Error('it started')
  await add(saying([agent('worker', { resume: started.agent_run_id })]))
  const kinds = (await events()).flatMap(ev =>
    ev.type === 'agent.started' ? [[ev.resumes, ev.agent_type]] : [],
  )
  expect(kinds).toEqual([
    [undefined, 'looker'],
    [started.agent_run_id, 'looker'],
  ])
  expect(effects.size).toBe(0)
})

describe('a rule', () => {
  const request = (kind: string | undefined): PermissionRequest => ({
    tool: 'Bash',
    agent: kind,
    subject: { type: 'command', command: 'npm test' },
    read_only: false,
    cwd: '/w',
    workspace: '/w',
    isInside: path => resolve(path).startsWith('/w'),
    realPath: path => path,
    entries: () => [],
  })
  const verdict = (kind: string | undefined, rules: RuleSet) =>
    judge(request(kind), loadRules(rules, 'test', '/w'), 'default')

  test('is written with the kind before it, and is the same rule however it is spaced', () => {
    expect(parseRule(' @my-kind.2   Bash(npm test:*) ', 'allow', 's')).toMatchObject({
      text: '@my-kind.2 Bash(npm test:*)',
      agent: 'my-kind.2',
      tool: 'Bash',
      content: 'npm test:*',
    })
    for (const text of ['@ Bash', '@worker', '@worker(x)', '@a b Bash', 'Bash @worker', '@-x Bash'])
      expect(() => parseRule(text, 'allow', 's'), text).toThrow(/@agent/)
  })

  test('for a type binds an agent of unknown type, and does not allow it', () => {
    expect(verdict(undefined, { allow: ['@worker Bash'] }).decision).toBe('ask')
    expect(verdict(undefined, { deny: ['@worker Bash'] }).decision).toBe('deny')
    expect(verdict('looker', { deny: ['@worker Bash'] }).decision).toBe('ask')
    expect(verdict('looker', { allow: ['Bash'] }).decision).toBe('allow')
  })

  test('is offered for the kind that asks, and for every agent when the session’s own asks', () => {
    expect(verdict('worker', {}).suggestion).toBe('@worker Bash(npm test:*)')
    expect(verdict('main', {}).suggestion).toBe('Bash(npm test:*)')
    expect(verdict(undefined, {}).suggestion).toBe('Bash(npm test:*)')
    // A kind that cannot be written in a rule is offered none: the broad one would be more than was asked for.
    expect(verdict('two words', {}).suggestion).toBeUndefined()
  })
})
