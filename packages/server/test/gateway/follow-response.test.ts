/** Following an answer through the log, record by record. */
import type { SessionEvent } from '@toolwire/core'
import { collectSink, holdLast, PATIENT } from '@toolwire/session'
import { completionWire, foldCompletion } from '@toolwire/wire'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { followResponse } from '../../src/gateway/follow-response.ts'
import { type Gateway, startGateway } from './gateway-server.ts'

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

type Body = { readonly type: SessionEvent['type'] } & Record<string, unknown>
const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
const item = (id: string) => ({ kind: 'client_tool', id, call_id: id, name: 'f', input_text: '{}' })
const started = (run_id: string): Body => ({
  type: 'run.started',
  run_id,
  conversation_id: 'c',
  trigger: 'message',
  client_tools: [],
  model: 'demo',
})
const paused = (run_id: string, ...ids: readonly string[]): Body => ({
  type: 'run.paused',
  run_id,
  reason: 'client_tool_execution',
  pending: ids.map(item),
})
const output = (call_id: string): Body => ({
  type: 'input.tool_output',
  run_id: 'r2',
  call_id,
  output_text: call_id,
  is_error: false,
  by: 'client',
})
const completed = (run_id: string, call_id: string): Body => ({
  type: 'tool.completed',
  run_id,
  call_id,
  content: [],
  output_text: call_id,
  is_error: false,
  duration_ms: 0,
})

test('a pause on the way, whose answers are there already, is not shown', async () => {
  const at = { run_id: 'r3', turn: 1 }
  const bodies: readonly Body[] = [
    { type: 'session.created', cwd: '/', model: 'demo', tools: [], permission_mode: 'default' },
    started('r1'),
    paused('r1', 'a', 'b'),
    output('a'),
    output('b'),
    { ...started('r2'), resumes_run_id: 'r1' },
    completed('r2', 'a'),
    paused('r2', 'b'),
    { ...started('r3'), resumes_run_id: 'r2' },
    completed('r3', 'b'),
    { type: 'turn.started', ...at, provider: 'demo', model: 'demo', attempt: 1 },
    { type: 'block.started', ...at, message_id: 'm', block_id: 'm.0', index: 0, run_index: 0, kind: 'text' },
    { type: 'block.completed', ...at, block_id: 'm.0', text: 'both' },
    {
      type: 'turn.completed',
      ...at,
      message_id: 'm',
      stop_reason: 'x',
      finish: 'stop',
      usage,
      has_next: false,
    },
    {
      type: 'run.completed',
      run_id: 'r3',
      status: 'success',
      finish: 'stop',
      result_text: '',
      usage_by_model: [],
      duration_ms: 0,
      num_turns: 1,
    },
  ]
  const events = bodies.map(body => ({ ts: '2026-01-01T00:00:00.000Z', ...body }) as unknown as SessionEvent)
  await gateway.store.append([{ session: 's', create: true, state: 'idle', events }])
  const sink = collectSink(PATIENT)
  const held = holdLast(sink)
  const end = await followResponse(
    await gateway.unscoped(),
    {
      session: 's',
      follow: { kind: 'answer', seq: 5 },
      from: 3,
      chain: '',
      setup: '',
      user: undefined,
      pure: true,
      warnings: [],
    },
    held,
    { wire: completionWire, strict: false, onStart: () => {} },
  )
  if (end.type !== 'ended') throw new Error('it was closed')
  await held.release()
  const { frames } = sink
  expect(frames.filter(frame => frame.data === '[DONE]')).toHaveLength(1)
  expect(foldCompletion(frames).choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { content: 'both' },
  })
  expect(foldCompletion(frames).choices[0]?.message.tool_calls).toBeUndefined()
  expect(end.blocks).toEqual([{ kind: 'text', text: 'both' }])
})
