/** Questions of a subagent, asked and answered through the session API. */
import type { SessionEvent } from '@toolwire/core'
import { afterEach, expect, test } from 'vitest'
import { type Running, startServer } from './start-server.ts'

let running: Running | undefined
afterEach(async () => {
  await running?.close()
  running = undefined
})

const tool = (call_id: string, name: string, executor: 'server' | 'client') => ({
  call_id,
  name,
  tool_type: 'function' as const,
  executor,
})

function asking(session: string): readonly SessionEvent[] {
  const at = { ts: '2026-01-01T00:00:00.000Z', run_id: 'r1' }
  const inside = { ...at, agent_run_id: 'agent_c1' }
  const block = { index: 0, run_index: 0, kind: 'tool_use' as const }
  const pending = [
    { kind: 'approval' as const, id: `apr_${session}.1`, call_id: 'c2', name: 'Danger', input_text: '{}' },
    { kind: 'client_tool' as const, id: 'c3', call_id: 'c3', name: 'browse', input_text: '{}' },
  ]
  return [
    { type: 'run.started', ...at, conversation_id: 'r1', trigger: 'message', client_tools: [], model: 'm' },
    {
      type: 'block.started',
      ...at,
      ...block,
      message_id: 'm1',
      block_id: 'm1.0',
      tool: tool('c1', 'Agent', 'server'),
    },
    { type: 'agent.started', ...inside, name: 'a', parent_call_id: 'c1', prompt: 'do' },
    {
      type: 'run.started',
      ...inside,
      conversation_id: 'agent_c1',
      trigger: 'message',
      client_tools: [],
      model: 'm',
    },
    {
      type: 'block.started',
      ...inside,
      ...block,
      message_id: 'm2',
      block_id: 'm2.0',
      tool: tool('c2', 'Danger', 'server'),
    },
    {
      type: 'block.started',
      ...inside,
      ...block,
      message_id: 'm2',
      block_id: 'm2.1',
      tool: tool('c3', 'browse', 'client'),
    },
    {
      type: 'tool.approval_requested',
      ...inside,
      approval_id: `apr_${session}.1`,
      call_id: 'c2',
      name: 'Danger',
      allow_edit: true,
    },
    { type: 'tool.client_requested', ...inside, call_id: 'c3', name: 'browse', input_text: '{}' },
    { type: 'run.paused', ...inside, reason: 'client_tool_execution', pending },
    { type: 'run.paused', ...at, reason: 'client_tool_execution', pending },
  ]
}

test('they are pending in the session with the id of the subagent, and answers go to it', async () => {
  running = await startServer()
  const { json, store, newSession } = running
  const id = await newSession()
  await store.append([{ session: id, events: asking(id), state: 'paused' }])
  const { body } = await json('GET', '/api/pending')
  expect(body.pending).toMatchObject([
    { session_id: id, kind: 'approval', call_id: 'c2', agent_run_id: 'agent_c1' },
    { session_id: id, kind: 'client_tool', call_id: 'c3', agent_run_id: 'agent_c1' },
  ])
  const approved = await json('POST', `/api/approvals/apr_${id}.1`, { decision: 'approved' })
  expect(approved).toMatchObject({ status: 200, body: { call_id: 'c2', first: true } })
  const output = { tool_outputs: [{ tool_use_id: 'c3', output: 'hi' }] }
  expect((await json('POST', `/api/sessions/${id}/tool_outputs`, output)).status).toBe(200)
  const inputs = (await store.read(id, 0, 1000)).flatMap(({ ev }) =>
    ev.type.startsWith('input.') ? [ev] : [],
  )
  expect(inputs.map(ev => [ev.type, ev.agent_run_id])).toEqual([
    ['input.approval', 'agent_c1'],
    ['input.tool_output', 'agent_c1'],
  ])
})
