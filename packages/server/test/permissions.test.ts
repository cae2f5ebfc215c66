import type { SessionEvent } from '@toolwire/core'
import { createMemoryRecords } from '@toolwire/store'
import { afterEach, describe, expect, test } from 'vitest'
import { listAudit } from '../src/access/audit.ts'
import type { ExplainRequest, PermissionPort } from '../src/ports.ts'
import { type Running, startServer } from './start-server.ts'

let running: Running | undefined
afterEach(async () => {
  await running?.close()
  running = undefined
})

async function open() {
  const asked: ExplainRequest[] = []
  running = await startServer({
    toolNames: ['Danger'],
    async explainPermission(request) {
      asked.push(request)
      return { tool: request.tool, decision: 'ask', reason: 'because' }
    },
  })
  return { asked, ...running }
}

test('the explanation is answered as it is; without a session the defaults of new ones count', async () => {
  const { json, asked } = await open()
  const answer = await json('POST', '/api/permissions/explain', { tool: 'Danger', input: { a: 1 } })
  expect(answer).toMatchObject({ status: 200, body: { tool: 'Danger', decision: 'ask', reason: 'because' } })
  expect(asked).toMatchObject([
    {
      tool: 'Danger',
      input: { a: 1 },
      session: { permission_mode: 'default', created: { cwd: '/workspace', tools: ['Danger'] } },
    },
  ])
})

test('a session brings its mode; the request may ask about another', async () => {
  const { json, asked } = await open()
  const { body } = await json('POST', '/api/sessions', { permission_mode: 'plan' })
  await json('POST', '/api/permissions/explain', { tool: 'Danger', session_id: body.id, agent: 'explore' })
  await json('POST', '/api/permissions/explain', {
    tool: 'Danger',
    session_id: body.id,
    permission_mode: 'acceptEdits',
  })
  expect(asked.map(one => [one.session_id, one.session.permission_mode])).toEqual([
    [body.id, 'plan'],
    [body.id, 'acceptEdits'],
  ])
  expect(asked.map(one => one.agent)).toEqual(['explore', undefined])
})

test('an unknown session, a body of another form and a server without the port are refused', async () => {
  const { json } = await open()
  const unknown = { tool: 'Danger', session_id: '00000000-0000-4000-8000-000000000000' }
  expect((await json('POST', '/api/permissions/explain', unknown)).status).toBe(404)
  expect((await json('POST', '/api/permissions/explain', { input: {} })).status).toBe(400)
  await running?.close()
  running = await startServer()
  expect((await running.json('POST', '/api/permissions/explain', { tool: 'Danger' })).status).toBe(404)
})

describe('rules over HTTP', () => {
  const rule = {
    id: 'rule_1',
    rule: 'Bash(ls)',
    decision: 'allow',
    source: 'project',
    revocable: true,
  } as const
  const grant = { ...rule, id: 'rule_2', rule: 'Bash(pwd)', source: 'session' }
  const fixed = {
    ...rule,
    id: 'rule_3',
    rule: 'Bash(rm:*)',
    decision: 'deny',
    source: 'configuration',
  } as const
  const rehearsed: string[] = []
  const agents: (string | undefined)[] = []
  const wishes: unknown[] = []

  const start = async () => {
    const records = createMemoryRecords()
    const permissions: PermissionPort = {
      list: async session => [fixed, rule, ...(session.notes?.['rule:Bash(pwd)'] ? [grant] : [])],
      async revoke(_session, id) {
        if (id === 'rule_1') return { type: 'revoked', rule }
        if (id === 'rule_2') return { type: 'note', name: 'rule:Bash(pwd)', rule: grant }
        return id === 'rule_3' ? { type: 'fixed', rule: fixed } : { type: 'unknown' }
      },
      async set(_session, wish, replaces) {
        wishes.push(wish)
        if (replaces === 'rule_3') return { type: 'fixed', rule: fixed }
        if (replaces === 'rule_9') return { type: 'unknown' }
        const { scope, ...rest } = wish
        const notes = [
          ...(scope === 'session' ? [{ name: `rule:${wish.rule}`, value: true }] : []),
          ...(replaces === 'rule_2' ? [{ name: 'rule:Bash(pwd)', value: null }] : []),
        ]
        const made = { ...rule, ...rest, id: 'rule_4', source: scope }
        return { type: 'set', rule: made, notes, ...(replaces ? { replaced: grant } : {}) }
      },
      async rehearse({ rule: text, calls }) {
        rehearsed.push(text)
        agents.push(...calls.map(call => call.agent))
        return { rule: text, calls: calls.length }
      },
    }
    running = await startServer({ permissions }, { records })
    return { ...running, records }
  }

  test('they are listed with mode and source, what the session was given apart', async () => {
    const { json, newSession, store } = await start()
    const id = await newSession()
    await store.append([
      { session: id, events: [{ type: 'note', ts: '', name: 'rule:Bash(pwd)', value: true }] },
    ])
    expect((await json('GET', '/api/permissions')).body).toEqual({
      mode: 'default',
      workspace: '/workspace',
      rules: [fixed, rule],
      grants: [],
    })
    expect((await json('GET', `/api/permissions?session_id=${id}`)).body.grants).toEqual([grant])
  })

  test('one is taken back by its id; that of a session by forgetting it in its log', async () => {
    const { json, newSession, store } = await start()
    const id = await newSession()
    expect(await json('DELETE', '/api/permissions/rule_1')).toMatchObject({
      status: 200,
      body: { revoked: rule },
    })
    expect((await json('DELETE', `/api/permissions/rule_2?session_id=${id}`)).status).toBe(200)
    const last = (await store.read(id, 0, 100)).at(-1)?.ev
    expect(last).toMatchObject({ type: 'note', name: 'rule:Bash(pwd)', value: null })
    expect((await json('DELETE', '/api/permissions/rule_3')).status).toBe(409)
    expect((await json('DELETE', '/api/permissions/rule_9')).status).toBe(404)
  })

  test('one is set with the server’s confirmation, and is in the trail of permission changes', async () => {
    const { json, newSession, store, records } = await start()
    const id = await newSession()
    const wish = { rule: 'Bash(ls:*)', decision: 'deny', expires_at: '2099-01-01T00:00:00Z' }
    const added = await json('POST', `/api/permissions?session_id=${id}`, { ...wish, scope: 'session' })
    expect(added).toMatchObject({ status: 201, body: { rule: { ...wish, id: 'rule_4', source: 'session' } } })
    expect(wishes.at(-1)).toEqual({ ...wish, scope: 'session' })
    expect((await store.read(id, 0, 100)).at(-1)?.ev).toMatchObject({ type: 'note', name: 'rule:Bash(ls:*)' })
    const project = { rule: 'Bash(ls:*)', decision: 'ask', scope: 'project' }
    expect((await json('POST', '/api/permissions', project)).status).toBe(201)
    expect(wishes.at(-1)).toEqual(project)
    const trail = await listAudit(records, undefined, 9)
    expect(trail).toMatchObject([
      { action: 'permission_rule.added', session_id: id, details: { ...wish, source: 'session' } },
      {
        action: 'permission_rule.added',
        details: { rule: 'Bash(ls:*)', decision: 'ask', source: 'project' },
      },
    ])
  })

  test('one takes the place of another in a single step of the log', async () => {
    const { json, newSession, store, records } = await start()
    const id = await newSession()
    const wish = { rule: 'Bash(ls)', decision: 'allow', scope: 'session' }
    expect((await json('PUT', `/api/permissions/rule_2?session_id=${id}`, wish)).status).toBe(200)
    const [put, gone] = (await store.read(id, 0, 100)).slice(-2).map(({ ev }) => ev)
    expect(put).toMatchObject({ name: 'rule:Bash(ls)', value: true })
    expect(gone).toMatchObject({ name: 'rule:Bash(pwd)', value: null })
    expect(await listAudit(records, undefined, 9)).toMatchObject([
      { action: 'permission_rule.changed', details: { rule: 'Bash(ls)', before: { rule: 'Bash(pwd)' } } },
    ])
    expect((await json('PUT', '/api/permissions/rule_3', { ...wish, scope: 'project' })).status).toBe(409)
    expect((await json('PUT', '/api/permissions/rule_9', { ...wish, scope: 'project' })).status).toBe(404)
  })

  test('one that is for a session names it, and nothing half said is taken', async () => {
    const { json } = await start()
    const wish = { rule: 'Bash(ls)', decision: 'allow', scope: 'session' }
    for (const body of [
      wish,
      { ...wish, scope: 'user' },
      { ...wish, scope: 'project', decision: 'maybe' },
      { ...wish, scope: 'project', rule: '' },
      { ...wish, scope: 'project', expires_at: 'tomorrow' },
    ])
      expect((await json('POST', '/api/permissions', body)).status, JSON.stringify(body)).toBe(400)
    expect((await json('POST', '/api/permissions?session_id=nobody', wish)).status).toBe(404)
  })

  test('a rule is rehearsed over the calls of a session', async () => {
    const { json, newSession, chat } = await start()
    const id = await newSession()
    await (await chat({ session_id: id, message: 'ask' })).text()
    const answer = await json('POST', '/api/permissions/explain', { rule: 'Danger', session_id: id })
    expect(answer).toMatchObject({ status: 200, body: { rule: 'Danger', calls: 1 } })
    const alone = await json('POST', '/api/permissions/explain', { rule: 'Danger', decision: 'deny' })
    expect(alone).toMatchObject({ status: 200, body: { rule: 'Danger', calls: 0 } })
  })

  test('a rule is rehearsed for the kind of agent that made each call', async () => {
    const { json, newSession, store } = await start()
    const id = await newSession()
    const ready = {
      type: 'tool.ready',
      ts: '',
      name: 'Danger',
      executor: 'server',
      tool_type: 'function',
      input: {},
    } as const
    const call = (call_id: string, agent_run_id?: string): SessionEvent => ({
      ...ready,
      ...(agent_run_id === undefined ? {} : { agent_run_id }),
      call_id,
      input_text: '{}',
    })
    const began = { type: 'agent.started', ts: '', parent_call_id: 'c', prompt: 'p' } as const
    await store.append([
      {
        session: id,
        events: [
          call('a'),
          { ...began, agent_run_id: 'one', name: 'a name', agent_type: 'explore' },
          call('b', 'one'),
          { ...began, agent_run_id: 'two', name: 'explore' },
          call('c', 'two'),
        ],
      },
    ])
    agents.length = 0
    await json('POST', '/api/permissions/explain', { rule: '@explore Danger', session_id: id })
    expect(agents).toEqual(['main', 'explore', undefined])
  })

  test('a server without the port has no such routes', async () => {
    running = await startServer()
    expect((await running.json('GET', '/api/permissions')).status).toBe(404)
    expect((await running.json('DELETE', '/api/permissions/rule_1')).status).toBe(404)
  })
})
