/** Background agents over HTTP: their questions outlive the run, their end reaches the session's followers. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { advance, type Model, type ModelPart, NO_FACTS, pendingOf, type SessionEvent } from '@toolwire/core'
import { createBuiltinTools, createToolSystem } from '@toolwire/tools'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readFrames } from './read-sse.ts'
import { type Running, startServer } from './start-server.ts'

let dir = ''
let running: Running | undefined
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'toolwire-background-'))
})
afterEach(async () => {
  await running?.close()
  running = undefined
  rmSync(dir, { recursive: true, force: true })
})

const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }

/** The session's agent launches one, which writes a file; everything else is answered with a word. */
const model: Model = {
  provider: 'scripted',
  id: 'demo',
  async *stream({ messages }) {
    yield { type: 'start', provider_message_id: '', model: 'demo' }
    const last = JSON.stringify(messages.at(-1))
    // The notice comes before the report.
    const isEnd = JSON.stringify(messages.slice(-2)).includes('has finished')
    if (last.includes('launch')) yield* call('Agent', { prompt: 'write it', run_in_background: true })
    else if (last.includes('write it')) yield* call('Write', { file_path: join(dir, 'a.txt'), content: 'x' })
    else {
      yield { type: 'block-start', index: 0, kind: 'text' }
      yield { type: 'block-delta', index: 0, text: isEnd ? 'noted' : 'done' }
      yield { type: 'block-end', index: 0 }
      yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage }
    }
  },
}

function* call(name: string, input: object): Generator<ModelPart> {
  yield { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: '', name } }
  yield { type: 'block-delta', index: 0, input_text: JSON.stringify(input) }
  yield { type: 'block-end', index: 0 }
  yield { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage }
}

async function launched() {
  const tools = createToolSystem({ tools: createBuiltinTools(), artifacts: join(dir, 'artifacts') })
  running = await startServer({ workspace: dir, toolNames: ['*'] }, { tools, model })
  const id = await running.newSession()
  await (await running.chat({ session_id: id, message: 'launch' })).text()
  await running.settled()
  return { ...running, id }
}

test('the question of one is pending in its session when the run is over, and its answer lets it end', async () => {
  const { json, settled, store, id } = await launched()
  const { body } = await json('GET', `/api/sessions/${id}`)
  expect(body).toMatchObject({
    status: 'paused',
    is_waiting_for_tool: true,
    pending: [{ kind: 'approval', name: 'Write', agent_run_id: expect.stringMatching(/^agent_/) }],
  })
  expect((await json('GET', '/api/pending')).body.pending).toMatchObject([{ session_id: id, name: 'Write' }])
  await json('POST', `/api/approvals/${body.pending[0].id}`, { decision: 'approved' })
  await settled()
  expect((await json('GET', `/api/sessions/${id}`)).body).toMatchObject({ status: 'idle', pending: [] })
  const texts = (await store.read(id, 0, 1000)).flatMap(({ ev }) =>
    ev.type === 'run.completed' && ev.agent_run_id === undefined ? [ev.result_text] : [],
  )
  expect(texts).toEqual(['done', 'noted'])
})

test('a follower of the session reads until it has ended and its report was processed', async () => {
  const { url, json, id } = await launched()
  const { body } = await json('GET', `/api/sessions/${id}`)
  await json('POST', `/api/approvals/${body.pending[0].id}`, { decision: 'approved' })
  const frames = await readFrames(await fetch(`${url}/api/sessions/${id}/events?wire=canonical`))
  const types = frames.map(frame => (frame.data as { readonly type: string }).type)
  expect(types.filter(type => type === 'agent.finished')).toHaveLength(1)
  expect(types.at(-1)).toBe('run.completed')
  expect(types.lastIndexOf('run.completed')).toBeGreaterThan(types.indexOf('agent.finished'))
})

test.each(['chat', 'thread'])('the wire %s carries all of it without a fault', async wire => {
  const { url, json, settled, id } = await launched()
  const { body } = await json('GET', `/api/sessions/${id}`)
  await json('POST', `/api/approvals/${body.pending[0].id}`, { decision: 'approved' })
  await settled()
  const response = await fetch(`${url}/api/sessions/${id}/events?wire=${wire}`)
  expect(await response.text()).toContain('noted')
})

test('the call that launched it stops it, and nothing follows', async () => {
  const { json, settled, store, id } = await launched()
  const records = await store.read(id, 0, 1000)
  const call = records.flatMap(({ ev }) => (ev.type === 'agent.started' ? [ev.parent_call_id] : []))[0]
  const path = `/api/sessions/${id}/calls/${call}/cancel`
  expect((await json('POST', path)).body.cancelled).toBe(true)
  await settled()
  expect((await json('GET', `/api/sessions/${id}`)).body).toMatchObject({ status: 'idle', pending: [] })
  expect((await json('POST', path)).body.cancelled).toBe(false)
})

test('a fork leaves it behind: the copy is idle', async () => {
  const { json, store, id } = await launched()
  const at = (await store.read(id, 0, 1000)).length
  const { status, body } = await json('POST', `/api/sessions/${id}/fork`, { at })
  expect(status).toBe(201)
  expect((await json('GET', `/api/sessions/${body.id}`)).body).toMatchObject({ status: 'idle', pending: [] })
})

test.each([
  [true, 1],
  [undefined, 0],
])(
  'a question asked before the run ends stays open when its agent works in the background: %s',
  (background, left) => {
    const at = { ts: '', run_id: 'r', agent_run_id: 'agent_1' }
    const tool = { call_id: 'c', name: 'Write', tool_type: 'builtin', executor: 'server' } as const
    const events: readonly SessionEvent[] = [
      {
        type: 'run.started',
        ts: '',
        run_id: 'r',
        conversation_id: 'r',
        trigger: 'message',
        client_tools: [],
        model: 'm',
      },
      { type: 'agent.started', ...at, name: 'a', parent_call_id: 'p', prompt: '', background },
      {
        type: 'block.started',
        ...at,
        message_id: 'm',
        block_id: 'b',
        index: 0,
        run_index: 0,
        kind: 'tool_use',
        tool,
      },
      {
        type: 'tool.approval_requested',
        ...at,
        approval_id: 'apr',
        call_id: 'c',
        name: 'Write',
        allow_edit: true,
      },
      {
        type: 'run.completed',
        ts: '',
        run_id: 'r',
        status: 'success',
        finish: 'stop',
        result_text: '',
        usage_by_model: [],
        duration_ms: 0,
        num_turns: 1,
      },
    ]
    const facts = events.reduce((before, ev, i) => advance(before, { seq: i + 1, epoch: 1, ev }), NO_FACTS)
    expect(pendingOf(facts)).toHaveLength(left)
  },
)
