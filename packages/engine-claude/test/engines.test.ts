/** Which engine drives a session, and what a run says when that one is not there. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError, type EventOf, type SessionEvent } from '@toolwire/core'
import { createRuntime, type Engine, type Engines } from '@toolwire/runtime'
import { createMemoryStore } from '@toolwire/store'
import { createToolSystem } from '@toolwire/tools'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { scriptedModel } from '../../runtime/test/loop/scripted-model.ts'
import { createClaudeAgentSdkEngine } from '../src/create-engine.ts'
import { childEnvironment } from '../src/environment.ts'
import { judgeChildTool } from '../src/judge.ts'
import { loadAgentSdk } from '../src/sdk.ts'

let empty: string
beforeEach(async () => {
  empty = await mkdtemp(join(tmpdir(), 'toolwire-no-sdk-'))
})
afterEach(async () => await rm(empty, { recursive: true }))

/** Runs one message of a session and returns how the run ended. */
async function run(
  engines: Engines,
  metadata?: Record<string, unknown>,
): Promise<EventOf<'run.completed' | 'run.failed'>> {
  const store = createMemoryStore()
  const session = randomUUID()
  const errors: unknown[] = []
  const runtime = createRuntime({
    log: store,
    models: () => scriptedModel([]),
    tools: createToolSystem({ tools: [] }),
    ids: { uuid: randomUUID, prefixed: prefix => prefix + randomUUID() },
    clock: { now: () => new Date() },
    node: randomUUID(),
    toolNames: [],
    maxTurns: 3,
    engines,
    onError: error => errors.push(error),
  })
  const ts = '2026-01-01T00:00:00.000Z'
  const events: readonly SessionEvent[] = [
    {
      type: 'session.created',
      ts,
      cwd: empty,
      model: 'claude-sonnet-4-5',
      tools: ['*'],
      permission_mode: 'default',
      ...(metadata ? { metadata } : {}),
    },
    {
      type: 'input.message',
      ts,
      run_id: 'r',
      message_id: 'm',
      role: 'user',
      content: [{ type: 'text', text: 'hi' }],
    },
  ]
  await store.append([{ session, create: true, events, state: 'running' }])
  runtime.wake(session)
  await runtime.settled()
  await runtime.stop()
  if (errors.length > 0) throw errors[0]
  const records = await store.read(session, 0, 1000)
  await store.close()
  const end = records.map(rec => rec.ev).find(ev => ev.type === 'run.completed' || ev.type === 'run.failed')
  if (end?.type !== 'run.completed' && end?.type !== 'run.failed') throw new Error('the run has no end')
  return end
}

const absent = (): Engine => createClaudeAgentSdkEngine({ folder: empty })

describe('the engine of a session', () => {
  test('is the loop alone by default', async () => {
    expect(await run({ all: [absent()] })).toMatchObject({ type: 'run.completed', result_text: 'The end.' })
  })

  test('is the server’s, unless the session names another', async () => {
    const engines = { all: [absent()], standard: 'claude-agent-sdk' }
    expect((await run(engines)).type).toBe('run.failed')
    expect((await run(engines, { engine: 'native' })).type).toBe('run.completed')
  })

  test('that does not exist fails the run by its name', async () => {
    expect(await run({ all: [] }, { engine: 'warp' })).toMatchObject({
      type: 'run.failed',
      error: { code: 'bad_request', message: expect.stringContaining('"warp"') },
    })
  })

  test('whose package is absent fails the run with how to install it', async () => {
    expect(await run({ all: [absent()] }, { engine: 'claude-agent-sdk' })).toMatchObject({
      type: 'run.failed',
      error: {
        code: 'model_unavailable',
        message: expect.stringContaining('npm install @anthropic-ai/claude-agent-sdk'),
      },
    })
  })
})

test('loading an absent package throws an error of the table', async () => {
  await expect(loadAgentSdk(empty)).rejects.toSatisfy(AppError.is)
})

test('the child sees the provider’s key, and nothing of the server’s own secrets', () => {
  const env = childEnvironment({
    ANTHROPIC_API_KEY: 'k',
    PATH: '/bin',
    TOOLWIRE_API_KEYS: 'x',
    OPENAI_API_KEY: 'x',
    DATABASE_URL: 'x',
  })
  expect(env).toMatchObject({ ANTHROPIC_API_KEY: 'k', PATH: '/bin' })
  expect(Object.values(env)).not.toContain('x')
})

test.for([
  ['default', 'Bash', 'ask'],
  ['acceptEdits', 'Edit', 'allow'],
  ['acceptEdits', 'Bash', 'ask'],
  ['plan', 'Edit', 'deny'],
  ['dontAsk', 'Bash', 'deny'],
  ['bypassPermissions', 'Bash', 'allow'],
] as const)('in the mode %s the child’s question about %s is answered with %s', ([mode, tool, verdict]) => {
  expect(judgeChildTool(mode, tool, { input: { file_path: 'a.txt' }, cwd: empty })).toBe(verdict)
})

test('where edits are accepted the program asks about protected files all the same', () => {
  const judge = (input: unknown) => judgeChildTool('acceptEdits', 'Edit', { input, cwd: empty })
  expect(judge({ file_path: 'src/a.ts' })).toBe('allow')
  for (const file_path of ['.git/config', join(empty, 'AGENTS.md'), './x/../toolwire.config.json'])
    expect([file_path, judge({ file_path })]).toEqual([file_path, 'ask'])
  expect(judge({ notebook_path: '.claude/a.ipynb' })).toBe('ask')
})
