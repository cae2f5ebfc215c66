/** The number of kept processes, and their time: with a fake package that only counts. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionEvent, Store } from '@toolwire/core'
import { createRuntime, type Engine, type Runtime } from '@toolwire/runtime'
import { createMemoryStore } from '@toolwire/store'
import { createToolSystem } from '@toolwire/tools'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ClaudeAgentSdkOptions, createClaudeAgentSdkEngine } from '../src/create-engine.ts'

/** Answers every message with its number in this process; says nothing to `hush`. */
const STAND_IN = `
export async function* query({ prompt, options }) {
  let n = 0
  for await (const { message } of prompt) {
    const said = message.content.at(-1).text
    if (said === 'hush') continue
    const event = given => ({ type: 'stream_event', event: given })
    yield event({ type: 'message_start', message: { id: 'msg_' + ++n, model: options.model } })
    yield event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
    const text = (options.resume ? 'resumed ' : 'fresh ') + n
    yield event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })
    yield event({ type: 'content_block_stop', index: 0 })
    yield event({ type: 'message_delta', delta: { stop_reason: 'end_turn' } })
    yield event({ type: 'message_stop' })
    yield { type: 'result', subtype: 'success', is_error: false, total_cost_usd: n }
  }
}
`

let folder: string
let store: Store
let engine: Engine
let runtime: Runtime
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolwire-stand-in-'))
  await writeFile(join(folder, 'sdk.mjs'), STAND_IN)
  store = createMemoryStore()
})
afterEach(async () => {
  await runtime.stop()
  await engine.close()
  await store.close()
  await rm(folder, { recursive: true })
})

function start(options: ClaudeAgentSdkOptions): void {
  engine = createClaudeAgentSdkEngine({ folder, env: {}, ...options })
  runtime = createRuntime({
    log: store,
    models: () => {
      throw new Error('the native models must not be asked')
    },
    tools: createToolSystem({ tools: [] }),
    ids: { uuid: randomUUID, prefixed: prefix => prefix + randomUUID() },
    clock: { now: () => new Date() },
    node: randomUUID(),
    toolNames: [],
    maxTurns: 3,
    engines: { all: [engine], standard: 'claude-agent-sdk' },
    onError: () => {},
  })
}

/** Says something in a session and returns what came of it. */
async function say(session: string, text: string): Promise<string> {
  const ts = new Date().toISOString()
  const known = await store.read(session, 0, 1)
  const create = known.length === 0
  const message: SessionEvent = {
    type: 'input.message',
    ts,
    run_id: randomUUID(),
    message_id: randomUUID(),
    role: 'user',
    content: [{ type: 'text', text }],
  }
  const created: SessionEvent = {
    type: 'session.created',
    ts,
    cwd: folder,
    model: 'claude-sonnet-4-5',
    tools: ['*'],
    permission_mode: 'default',
  }
  const events = create ? [created, message] : [message]
  await store.append([{ session, events, state: 'running', ...(create ? { create } : {}) }])
  runtime.wake(session)
  await runtime.settled()
  const end = (await store.read(session, 0, 1000))
    .map(rec => rec.ev)
    .findLast(ev => ev.type.startsWith('run.'))
  if (end?.type === 'run.completed') return end.result_text
  return end?.type === 'run.failed' ? end.error.code : (end?.type ?? '')
}

test('a session keeps its process between messages', async () => {
  start({})
  expect(await say('a', 'one')).toBe('fresh 1')
  expect(await say('a', 'two')).toBe('fresh 2')
})

test('beyond the limit, the process that rested longest makes room, and its session is rebuilt', async () => {
  start({ maxProcesses: 2 })
  expect(await say('a', 'one')).toBe('fresh 1')
  expect(await say('b', 'one')).toBe('fresh 1')
  expect(await say('c', 'one')).toBe('fresh 1')
  expect(await say('b', 'two')).toBe('fresh 2')
  expect(await say('a', 'two')).toBe('resumed 1')
})

test('a silent process fails the run, and the session continues with a new one', async () => {
  start({ patienceMs: 50 })
  expect(await say('a', 'hush')).toBe('model_timeout')
  await runtime.stop()
  await engine.close()
  start({})
  expect(await say('a', 'speak')).toBe('fresh 1')
})

test('another model for the session means another process', async () => {
  start({})
  await say('a', 'one')
  const changed: SessionEvent = {
    type: 'session.updated',
    ts: new Date().toISOString(),
    model: 'claude-opus-4-5',
  }
  await store.append([{ session: 'a', events: [changed] }])
  expect(await say('a', 'two')).toBe('resumed 1')
})
