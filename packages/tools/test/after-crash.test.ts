import type { Tool, ToolContext } from '@toolwire/core'
import { afterEach, describe, expect, test } from 'vitest'
import type { Connection } from '../../mcp/src/connection.ts'
import { createMcpTool } from '../../mcp/src/mcp-tool.ts'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'
import { simple } from './test-tools.ts'

let stage: Stage | undefined
afterEach(() => {
  stage?.close()
  stage = undefined
})

describe('after a crash', () => {
  function crashed(parts: Partial<Tool>): {
    readonly s: Stage
    readonly ran: () => number
    readonly keys: readonly string[]
  } {
    const keys: string[] = []
    const tool = simple('Act', {
      isReadOnly: () => false,
      async *call(_, { idempotency_key }) {
        keys.push(idempotency_key)
        yield { type: 'result', output_text: 'ran' }
      },
      ...parts,
    })
    stage = createStage({ tools: [tool], mode: 'bypassPermissions' })
    return { s: stage, ran: () => keys.length, keys }
  }

  async function crash(s: Stage): Promise<void> {
    await s.say([{ name: 'Act', input: {}, id: 'call_1' }])
    s.append({ type: 'tool.started', ts: new Date().toISOString(), call_id: 'call_1', attempt: 1 })
    s.restart()
  }

  test('a call that may have written is never run again: its outcome is unknown', async () => {
    const { s, ran } = crashed({})
    await crash(s)
    await s.settle()
    expect(codeOf(s.state().calls[0])).toBe('unknown_outcome')
    expect(ran()).toBe(0)
  })

  test('a tool that can prove what happened says so', async () => {
    const { s, ran } = crashed({ recover: async () => ({ type: 'done', output_text: 'it was done' }) })
    await crash(s)
    await s.settle()
    expect(textOf(s.state().calls[0])).toBe('it was done')
    expect(ran()).toBe(0)
  })

  test('a tool that can prove that nothing happened runs it, as a second attempt', async () => {
    const { s, ran } = crashed({ recover: async () => ({ type: 'not_done' }) })
    await crash(s)
    await s.settle()
    expect(textOf(s.state().calls[0])).toBe('ran')
    expect(ran()).toBe(1)
    expect(s.events('tool.started').map(event => event.attempt)).toEqual([1, 2])
  })

  test('a call that has no second effect is run again under the key of its first attempt, which no other call has', async () => {
    const { s, keys } = crashed({ isIdempotent: () => true })
    await crash(s)
    await s.settle()
    expect(textOf(s.state().calls[0])).toBe('ran')
    expect(s.events('tool.started').map(event => event.attempt)).toEqual([1, 2])
    await s.one('Act', {})
    expect(keys[0]).toBe('ses_1:call_1')
    expect(new Set(keys).size).toBe(2)
  })

  test.each<[string, NonNullable<Tool['recover']>, string, number]>([
    ['proves that it is done', async () => ({ type: 'done', output_text: 'it was done' }), 'it was done', 0],
    ['does not know', async () => ({ type: 'unknown' }), 'ran', 1],
    ['fails to find out', () => Promise.reject(new Error('no')), 'ran', 1],
  ])('what a tool without second effects finds out comes first: it %s', async (_, recover, text, times) => {
    const { s, ran } = crashed({ isIdempotent: () => true, recover })
    await crash(s)
    await s.settle()
    expect(textOf(s.state().calls[0])).toBe(text)
    expect(ran()).toBe(times)
  })

  test.each([
    ['recovery', { recover: () => Promise.reject(new Error('no')) }],
    [
      'word on repetition',
      {
        isIdempotent: () => {
          throw new Error('no')
        },
      },
    ],
  ])('a tool whose %s fails is not run on a guess', async (_, parts) => {
    const { s, ran } = crashed(parts)
    await crash(s)
    await s.settle()
    expect(codeOf(s.state().calls[0])).toBe('unknown_outcome')
    expect(ran()).toBe(0)
  })

  test('a read-only call is run again', async () => {
    const { s } = crashed({ isReadOnly: () => true })
    await crash(s)
    await s.settle()
    expect(textOf(s.state().calls[0])).toBe('ran')
  })
})

test.each([
  ['says so and is trusted', { trusted: true, idempotent: true }, true, 'not_done'],
  ['says so and is not trusted', { trusted: false, idempotent: true }, false, 'unknown'],
  ['is trusted and does not say so', { trusted: true, idempotent: false }, false, 'unknown'],
])('a tool of a server that %s counts as one without second effects: %j', async (_, given, is, found) => {
  const listed = { name: 'call', description: '', input_schema: {}, read_only: false, ...given }
  const config = { type: 'stdio', command: 'x', args: [], env: {}, trusted: given.trusted }
  const tool = createMcpTool('mcp__s__call', listed, { name: 's', config } as unknown as Connection)
  const context = { call_id: 'call_1', attempt: 2, notes: { get: () => undefined } } as unknown as ToolContext
  expect(tool.isIdempotent?.({}, context)).toBe(is)
  expect(await tool.recover?.({}, context)).toMatchObject({ type: found })
})
