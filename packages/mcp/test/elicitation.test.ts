import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AgentSpec } from '@toolwire/core'
import { afterEach, describe, expect, test } from 'vitest'
import { codeOf, type Stage, type StageOptions, textOf } from '../../tools/test/stage.ts'
import type { McpTools } from '../src/create-mcp-tools.ts'
import { closeServers, serveModern, serveSessions, serveSse } from './http-servers.ts'
import { closeAll, eventually, isReady, notesOf, program, stageOf, start, until } from './stage-mcp.ts'

afterEach(closeAll)
afterEach(closeServers)

/** A model that writes, where a session has one. */
const wrote: AgentSpec[] = []
const runAgent: StageOptions['runAgent'] = async (_, spec) => {
  wrote.push(spec)
  return {
    type: 'finished',
    agent_run_id: 'agent_1',
    text: `roses, after "${spec.prompt}"`,
    stop_reason: 'stop',
    usage: { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 },
    num_turns: 1,
    num_calls: 0,
    duration_ms: 1,
  }
}

interface Setting {
  readonly mcp: McpTools
  readonly stage: Stage
  readonly notes: () => readonly string[]
}

type Begin = (more?: object) => Promise<Setting>

const stdio =
  (era: string): Begin =>
  async more => {
    const home = stageOf({ tools: () => [] } as never)
    const path = join(home.dir, 'notes')
    const mcp = start({ test: { ...program('stdio-server.ts', era, path), ...more } })
    await until(mcp, isReady(mcp))
    return { mcp, stage: stageOf(mcp, { runAgent }), notes: () => notesOf(path) }
  }

const http =
  (serve: typeof serveSessions | typeof serveModern | typeof serveSse): Begin =>
  async more => {
    const lines: string[] = []
    const { url } = await serve({ note: line => lines.push(line) })
    const mcp = start({ test: { type: serve === serveSse ? 'sse' : 'http', url, headers: {}, ...more } })
    await until(mcp, isReady(mcp))
    return { mcp, stage: stageOf(mcp, { runAgent }), notes: () => lines }
  }

const LEGACY: readonly (readonly [string, Begin])[] = [
  ['the older era over stdio', stdio('legacy')],
  ['the older era over HTTP with sessions', http(serveSessions)],
  ['the older era over SSE', http(serveSse)],
]
const MODERN: readonly (readonly [string, Begin])[] = [
  ['the newer era over stdio', stdio('modern')],
  ['the newer era over HTTP', http(serveModern)],
]

const call = (stage: Stage) => {
  const [found] = stage.state().calls
  if (!found) throw new Error('no call')
  return found
}

async function answer(stage: Stage, value: unknown): Promise<string> {
  stage.approve(call(stage), { answer_text: JSON.stringify(value) })
  return await stage.settle()
}

describe.each([...LEGACY, ...MODERN])('a question of a server of %s', (_, begin) => {
  test('pauses the session, describes the question, and continues with the answer', async () => {
    const { stage, notes } = await begin()
    await stage.say([{ name: 'mcp__test__book', input: {} }])
    expect(await stage.settle()).toBe('pause')
    expect(call(stage).approval).toMatchObject({
      kind: 'question',
      resumes: true,
      message: 'Who comes?',
      schema: { required: ['name'] },
      details: { type: 'elicitation', mode: 'form', server: 'test', tool: 'book' },
    })
    expect(await answer(stage, { name: 'Ada' })).toBe('pause')
    expect(call(stage).approval?.message).toBe('Are you sure?')
    await answer(stage, { sure: true })
    expect(textOf(call(stage))).toBe('booked {"guest":{"guests":2,"name":"Ada"},"sure":{"sure":true}}')
    expect(notes().filter(line => line.startsWith('booked'))).toHaveLength(1)
  })

  test('can be declined or dismissed, and the server learns which', async () => {
    const { stage } = await begin()
    await stage.one('mcp__test__book', {})
    stage.approve(call(stage), { decision: 'denied' })
    await stage.settle()
    expect(textOf(call(stage))).toBe('no guest: decline')
    await stage.one('mcp__test__book', {})
    stage.approve(call(stage), { decision: 'cancelled' })
    await stage.settle()
    expect(textOf(call(stage))).toBe('no guest: cancel')
  })

  test('is asked again when the answer does not fit, and says why', async () => {
    const { stage } = await begin()
    await stage.one('mcp__test__book', {})
    expect(await answer(stage, { name: 'x', guests: 0 })).toBe('pause')
    expect(call(stage).approval?.message).toMatch(/^Who comes\?\n.*name/)
    expect(stage.events('tool.approval_requested')).toHaveLength(2)
    await answer(stage, { name: 'Ada', guests: 3 })
    await answer(stage, { sure: false })
    expect(textOf(call(stage))).toContain('"guests":3')
  })

  test.each([
    ['ReadMcpResource', { server: 'test', uri: 'test://vault' }, 'opened with {"code":"7"}'],
    ['GetMcpPrompt', { server: 'test', name: 'letter' }, 'Dear {"code":"7"}'],
  ])('may come before what %s gives', async (name, input, text) => {
    const { stage } = await begin()
    await stage.say([{ name, input }])
    expect(await stage.settle()).toBe('pause')
    expect(call(stage).approval).toMatchObject({ message: 'Which code?', kind: 'question', resumes: true })
    await answer(stage, { code: '7' })
    expect(textOf(call(stage))).toContain(text)
  })

  test('may be a page to open', async () => {
    const { stage } = await begin()
    await stage.one('mcp__test__visit', {})
    expect(call(stage).approval).toMatchObject({ url: 'https://example.com/pay', message: 'Please pay.' })
    expect(call(stage).approval?.schema).toBeUndefined()
    stage.approve(call(stage))
    await stage.settle()
    expect(textOf(call(stage))).toBe('page: {}')
  })

  test('is answered by a bare text when the form has one field', async () => {
    const { stage } = await begin()
    await stage.one('mcp__test__lookup', {})
    stage.approve(call(stage), { answer_text: 'A-17' })
    await stage.settle()
    expect(textOf(call(stage))).toBe('code {"code":"A-17"}')
  })
})

describe.each(LEGACY)('while it waits, a server of %s', (_, begin) => {
  test('hears of a run that is cancelled', async () => {
    const { stage, notes } = await begin()
    await stage.one('mcp__test__ask', {})
    expect(call(stage).approval?.message).toBe('Colour?')
    stage.cancel()
    stage.append({
      type: 'tool.failed',
      ts: new Date().toISOString(),
      call_id: call(stage).call_id,
      error: { code: 'interrupted', layer: 'aborted', message: 'x', retryable: true },
      output_text: 'x',
      duration_ms: 0,
    })
    stage.system().sweep?.('ses_1', stage.state())
    await eventually(() => notes().includes('ask cancelled'))
  })

  test('may give up waiting: the question is withdrawn and the call continues', async () => {
    const { stage } = await begin()
    await stage.one('mcp__test__impatient', {})
    await eventually(() => call(stage).approval?.answer !== undefined)
    expect(call(stage).approval?.answer).toMatchObject({ decision: 'expired', by: 'system' })
    await stage.settle()
    expect(textOf(call(stage))).toBe('nobody said anything')
  })

  test('asks two sessions at once, each for itself', async () => {
    const { stage, mcp } = await begin()
    const other = stageOf(mcp, { session_id: 'ses_2' })
    await stage.one('mcp__test__ask', {})
    await other.one('mcp__test__ask', {})
    await answer(other, { colour: 'blue' })
    await answer(stage, { colour: 'red' })
    expect(textOf(call(other))).toBe('{"colour":"blue"}')
    expect(textOf(call(stage))).toBe('{"colour":"red"}')
  })

  test('that is kept waiting for too long is let go, and the answer then finds an unknown outcome', async () => {
    const { stage, notes } = await begin({ hold_ms: 50 })
    await stage.one('mcp__test__ask', {})
    await eventually(() => notes().includes('ask cancelled'))
    await answer(stage, { colour: 'red' })
    expect(codeOf(call(stage))).toBe('unknown_outcome')
  })
})

test('a call behind one that asks waits for its turn', async () => {
  const [, begin] = LEGACY[1] ?? []
  const { stage } = await (begin as Begin)()
  await stage.say([
    { name: 'mcp__test__ask', input: {} },
    { name: 'mcp__test__echo', input: { text: 'later' } },
  ])
  expect(await stage.settle()).toBe('pause')
  expect(stage.state().calls.map(one => one.started !== undefined)).toEqual([true, false])
  await answer(stage, { colour: 'red' })
  expect(stage.state().calls.map(textOf)).toEqual(['{"colour":"red"}', 'later'])
})

describe.each(MODERN)('a restart while a server of %s waits for an answer', (_, begin) => {
  test('loses nothing: the call continues where it was, once', async () => {
    const { stage, notes } = await begin()
    await stage.one('mcp__test__book', {})
    stage.restart()
    await answer(stage, { name: 'Ada' })
    stage.restart()
    await answer(stage, { sure: true })
    expect(textOf(call(stage))).toContain('"name":"Ada"')
    expect(notes().filter(line => line === 'asked for the guest')).toHaveLength(1)
  })

  test('during a resume leaves a call whose outcome is unknown', async () => {
    const { stage } = await begin()
    await stage.one('mcp__test__book', {})
    stage.approve(call(stage), { answer_text: '{"name":"Ada"}' })
    stage.append(
      {
        type: 'tool.approval_resolved',
        ts: new Date().toISOString(),
        approval_id: call(stage).approval?.approval_id ?? '',
        call_id: call(stage).call_id,
        decision: 'approved',
        answer_text: '{"name":"Ada"}',
        by: 'user',
      },
      { type: 'tool.started', ts: new Date().toISOString(), call_id: call(stage).call_id, attempt: 2 },
    )
    stage.restart()
    await stage.settle()
    expect(codeOf(call(stage))).toBe('unknown_outcome')
  })
})

describe('a crash while a server of the older era waits for an answer', () => {
  const again = async (trusted: boolean, tool: string) => {
    const home = stageOf({ tools: () => [] } as never)
    const path = join(home.dir, 'notes')
    const servers = { test: { ...program('stdio-server.ts', 'legacy', path), trusted } }
    const first = start(servers)
    await until(first, isReady(first))
    let mcp = first
    const stage = stageOf({ ...first, tools: () => mcp.tools() })
    await stage.one(tool, {})
    expect(call(stage).approval?.resumes).toBe(true)
    // As after a crash of ours: the log is left, the live connection is not.
    await first.close()
    mcp = start(servers)
    await until(mcp, isReady(mcp))
    stage.restart()
    return { stage, notes: () => notesOf(path) }
  }

  test('makes a call that only reads again, and gives the recorded answer to the same question', async () => {
    const { stage, notes } = await again(true, 'mcp__test__lookup')
    await answer(stage, { code: 'A-17' })
    expect(textOf(call(stage))).toBe('code {"code":"A-17"}')
    expect(notes().filter(line => line === 'asked for the code')).toHaveLength(2)
    expect(stage.events('tool.approval_requested')).toHaveLength(1)
  })

  test('never repeats a call that may have had an effect', async () => {
    const { stage, notes } = await again(true, 'mcp__test__book')
    await answer(stage, { name: 'Ada' })
    expect(codeOf(call(stage))).toBe('unknown_outcome')
    expect(notes().some(line => line.startsWith('booked'))).toBe(false)
  })

  test('does not believe a server that is not trusted when it says that it only reads', async () => {
    const { stage } = await again(false, 'mcp__test__lookup')
    await answer(stage, { code: 'A-17' })
    expect(codeOf(call(stage))).toBe('unknown_outcome')
  })
})

describe('other things that servers ask for', () => {
  test.each([...LEGACY, ...MODERN])('folders: a server of %s learns the workspace', async (_, begin) => {
    const { stage } = await begin()
    expect(textOf(await stage.one('mcp__test__where', {}))).toBe(pathToFileURL(stage.workspace).href)
  })

  test.each([...LEGACY, ...MODERN])('a model: refused by default for a server of %s', async (_, begin) => {
    const { stage } = await begin()
    const done = await stage.one('mcp__test__write', {})
    expect(done.outcome?.is_error).toBe(true)
    expect(textOf(done)).toMatch(/sampling|model/i)
  })

  describe.each([...LEGACY, ...MODERN])('a model, for a server of %s that may have it:', (_, begin) => {
    async function asked(): Promise<Stage> {
      const { stage } = await begin({ sampling: true })
      await stage.say([{ name: 'mcp__test__write', input: {} }])
      expect(await stage.settle()).toBe('pause')
      expect(call(stage).approval).toMatchObject({
        kind: 'question',
        message: expect.stringMatching(/^test: It wants a model.*a poem/s),
        details: { type: 'sampling', server: 'test' },
      })
      return stage
    }

    test('the user is asked, and an agent without tools writes within the server’s limit', async () => {
      wrote.length = 0
      const stage = await asked()
      stage.approve(call(stage))
      await stage.settle()
      expect(textOf(call(stage))).toContain('roses, after \\"a poem\\"')
      expect(wrote).toMatchObject([{ tools: [], client_tools: false, max_turns: 1, max_tokens: 10 }])
    })

    test('nothing is written when they do not allow it, and the call says so', async () => {
      wrote.length = 0
      const stage = await asked()
      stage.approve(call(stage), { decision: 'denied' })
      await stage.settle()
      expect(call(stage).outcome?.is_error).toBe(true)
      expect(textOf(call(stage))).toMatch(/allowed a model to write/)
      expect(wrote).toEqual([])
    })
  })
})
