import type { AgentState, HistoryMessage } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { exhaustion } from '../../runtime/src/loop/budget.ts'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { createThinkTool } from '../src/builtin/think.ts'
import { codeOf, createStage } from './stage.ts'
import { simple } from './test-tools.ts'

const setting = { cwd: '/', permission_mode: 'default', model: 'thinker' }

test('Think is not offered to models that think by themselves, where the settings say so', () => {
  const find = (hides_think?: (model: string) => boolean) =>
    createBuiltinTools({ hides_think }).find(tool => tool.name === 'Think')
  expect(find()?.isEnabled?.(setting)).toBe(true)
  const hidden = find(model => model === 'thinker')
  expect(hidden?.isEnabled?.(setting)).toBe(false)
  expect(hidden?.isEnabled?.({ ...setting, model: 'other' })).toBe(true)
})

test('a thought is shown as a thought, touches nothing and may be had again', async () => {
  const tool = createThinkTool()
  expect(tool.view?.({ thought: 'x' })).toMatchObject({ kind: 'thought' })
  expect(await tool.access?.({ thought: 'x' }, {} as never)).toEqual([])
  expect([tool.isReadOnly({ thought: 'x' }, {} as never), tool.may_repeat]).toEqual([true, true])
})

describe('thoughts between calls', () => {
  const turns = (...names: readonly (readonly string[])[]): AgentState => {
    const messages = names.flatMap((calls, n): HistoryMessage[] => [
      {
        role: 'assistant',
        message_id: `m${n}`,
        provider: 'p',
        model: 'm',
        content: calls.map((name, i) => ({ type: 'tool_use', call_id: `${n}.${i}`, name, input_text: '{}' })),
      },
    ])
    const run = {
      run_id: 'r',
      conversation_id: 'c',
      started_at: '2026-01-01T00:00:00.000Z',
      model: 'm',
      client_tools: [],
      num_turns: names.length,
      max_turns: 2,
      blocks: 0,
      usage: [],
      spent_usd: 0,
      failures: 0,
    }
    return { phase: 'running', turns: names.length, calls: [], aborted_calls: [], queue: [], messages, run }
  }
  const end = (state: AgentState) => exhaustion(state, state.run)?.code

  test('a turn that only thinks uses up no turn of the run; one that does something beside it does', () => {
    expect(end(turns(['Read'], ['Think']))).toBeUndefined()
    expect(end(turns(['Read'], ['Think'], ['Think']))).toBeUndefined()
    expect(end(turns(['Read'], ['Think', 'Read']))).toBe('max_turns')
    expect(end(turns(['Read'], ['Read']))).toBe('max_turns')
  })

  test('thinking for ever ends too: as many thoughts are free as the run has turns', () => {
    expect(end(turns(['Think'], ['Think'], ['Think']))).toBeUndefined()
    expect(end(turns(['Think'], ['Think'], ['Think'], ['Think']))).toBe('max_turns')
  })

  test('a thought between two equal calls neither hides the repetition nor counts as one', async () => {
    const poll = simple('Poll', {
      async *call() {
        yield { type: 'result', output_text: 'same' }
      },
    })
    const stage = createStage({ tools: [poll, createThinkTool()], mode: 'dontAsk' })
    try {
      for (let n = 0; n < 5; n++) {
        expect(codeOf(await stage.one('Poll', {}))).toBeUndefined()
        expect(codeOf(await stage.one('Think', { thought: 'hm' }))).toBeUndefined()
      }
      expect(codeOf(await stage.one('Think', { thought: 'hm' }))).toBeUndefined()
      expect(codeOf(await stage.one('Poll', {}))).toBe('loop')
    } finally {
      stage.close()
    }
  })
})
