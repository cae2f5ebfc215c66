import type { AgentEnd } from '@toolwire/core'
import { expect, test } from 'vitest'
import { reportAgent } from '../src/agents/report-agent.ts'

const NONE = { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 }
const finished: Extract<AgentEnd, { type: 'finished' }> = {
  type: 'finished',
  agent_run_id: 'agent_1',
  text: 'done',
  stop_reason: 'stop',
  usage: { ...NONE, input: 10, output: 5 },
  cost_usd: 0.5,
  num_turns: 1,
  num_calls: 0,
  duration_ms: 7,
}
const dataOf = (end: AgentEnd) => {
  const step = reportAgent(end, 'The agent')
  return step.type === 'result' ? step.structured : undefined
}

test('an agent’s usage is in its data, and omitted where its provider did not report it', () => {
  expect(dataOf(finished)).toMatchObject({ totalTokens: 15, usage: { input: 10 }, cost_usd: 0.5 })
  const { cost_usd: _, ...unknown } = finished
  const data = dataOf({ ...unknown, usage: NONE })
  expect(data).not.toHaveProperty('totalTokens')
  expect(data).not.toHaveProperty('usage')
  expect(data).not.toHaveProperty('cost_usd')
})

test('a limit gives the report so far as a result, any other error a failure with it', () => {
  const limit = { code: 'max_turns', message: 'The run used up its 3 turns.', retryable: false }
  expect(reportAgent({ ...finished, error: limit }, 'The agent')).toMatchObject({
    type: 'result',
    output_text: expect.stringMatching(/^done\n\[The agent stopped early: .*3 turns/),
  })
  const broken = { code: 'model_overloaded', message: 'Overloaded', retryable: true }
  expect(reportAgent({ ...finished, error: broken }, 'The agent')).toMatchObject({
    type: 'failure',
    code: 'agent_failed',
    message: expect.stringContaining('done'),
  })
})

test('an agent that ended without a word says so, with the reason', () => {
  expect(reportAgent({ ...finished, text: '', stop_reason: 'length' }, 'The agent')).toMatchObject({
    type: 'result',
    output_text: expect.stringMatching(/without a final message.*length/),
  })
})
