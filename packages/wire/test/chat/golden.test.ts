import { describe, expect, it } from 'vitest'
import { CASES, caseNames, streamOf as frames, SESSION, type Shown, shownBy as shown } from './read-case.ts'

const names = caseNames()

describe('golden pairs of the chat wire', () => {
  it.each(names)('%s', async name => {
    await expect(frames(name)).toMatchFileSnapshot(new URL(`${name}.chat.txt`, CASES).pathname)
  })
})

describe('the documented sequence', () => {
  const main = shown('documented').filter(frame => frame.type !== 'stream_event')

  it('has the documented order', () => {
    const order = main.map(frame => frame.type).filter((type, i, all) => type !== all[i - 1])
    expect(order).toEqual([
      'system',
      'content_block_start',
      'text_delta',
      'content_block_start',
      'tool_input_delta',
      'tool_use',
      'tool_result',
      'content_block_start',
      'text_delta',
      'result',
      'done',
    ])
  })

  it('carries the documented values', () => {
    expect(main.find(frame => frame.type === 'tool_use')).toMatchObject({
      tool: { id: 'toolu_xxx', name: 'Bash', input: { command: 'ls -la', description: 'List files' } },
    })
    expect(main.filter(frame => frame.type === 'content_block_start').map(frame => frame['index'])).toEqual([
      0, 1, 2,
    ])
    const partial = main
      .filter(frame => frame.type === 'tool_input_delta')
      .map(frame => frame['partial_json'])
    expect(partial.join('')).toBe('{"command": "ls -la", "description": "List files"}')
    expect(main.at(-1)).toEqual({
      type: 'done',
      session_id: SESSION,
      conversation_id: '661f9511-f30c-42e5-b827-557766551111',
      claude_session_id: '7c89996c-e45f-4790-b473-30910aa090af',
    })
  })

  it('starts every frame with its type and ends it with the ids of session and conversation', () => {
    for (const frame of main.filter(f => f.type !== 'done')) {
      const keys = Object.keys(frame)
      expect(keys[0]).toBe('type')
      expect(keys.slice(-2)).toEqual(['session_id', 'conversation_id'])
    }
  })
})

describe('every answer', () => {
  it.each(names)('in %s ends with a result whose totals are numbers, then done', name => {
    const all = shown(name)
    const results = all.filter(frame => frame.type === 'result')
    expect(results.length).toBeGreaterThan(0)
    for (const result of results) {
      const data = result['data'] as Record<string, unknown>
      const usage = data['usage'] as Record<string, unknown>
      for (const figure of [
        data['total_cost_usd'],
        data['duration_ms'],
        data['num_turns'],
        ...Object.values(usage),
      ])
        expect(figure).toBeTypeOf('number')
      expect(data['result']).toBeTypeOf('string')
      expect(all[all.indexOf(result) + 1]?.type).toBe('done')
    }
    for (const error of all.filter(frame => frame.type === 'error')) {
      const result = all[all.indexOf(error) + 1]
      expect(result).toMatchObject({ type: 'result', data: { is_error: true } })
    }
    for (const result of all.filter(frame => frame.type === 'tool_result'))
      expect(result['content']).toBeTypeOf('string')
  })

  it('of a resumed conversation keeps its conversation id', () => {
    expect(new Set(shown('client-tool').map(frame => frame['conversation_id']))).toEqual(new Set(['run_1']))
  })

  it('names the subtype of its failure', () => {
    const subtypes = shown('failures')
      .filter(f => f.type === 'result')
      .map(f => (f['data'] as Shown)['subtype'])
    expect(subtypes).toEqual(['error_during_execution', 'error_max_turns', 'error_max_budget_usd'])
  })
})
