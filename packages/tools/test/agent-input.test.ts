/** What the Agent tool takes: today's names, the oldest form, and what other hosts still send. */
import type { AgentSpec, ToolContext } from '@toolwire/core'
import { expect, test } from 'vitest'
import { createAgentTool } from '../src/builtin/agent.ts'
import { createArchitectTool } from '../src/builtin/architect.ts'

const { check } = createAgentTool()

test.each([
  [{ prompt: 'look' }],
  [{ description: 'Look around', prompt: 'look', subagent_type: 'explore', model: 'demo', effort: 'low' }],
  [
    {
      description: 'Look around',
      prompt: 'look',
      run_in_background: true,
      name: 'scout',
      isolation: 'worktree',
    },
  ],
  [{ prompt: 'look', team_name: 'ours', mode: 'plan' }],
])('takes %j', input => {
  expect(check(input).ok).toBe(true)
})

test.each([
  [{}],
  [{ prompt: '' }],
  [{ prompt: 'look', isolation: 'elsewhere' }],
  [{ prompt: 'look', colour: 'red' }],
])('refuses %j', input => {
  expect(check(input).ok).toBe(false)
})

test('Architect passes its input to an agent that can only read, and is offered to no agent', async () => {
  const architect = createArchitectTool()
  const asked: AgentSpec[] = []
  const runAgent = async (spec: AgentSpec) => {
    asked.push(spec)
    return { type: 'refused', code: 'no', message: 'no' } as const
  }
  for (const more of [{}, { context: 'It is old.' }])
    await Array.fromAsync(
      architect.call({ prompt: 'Plan it.', ...more }, { runAgent } as unknown as ToolContext),
    )
  expect(asked.map(spec => spec.prompt)).toEqual([
    'Plan it.',
    expect.stringMatching(/It is old\.[\s\S]*Plan it\.$/),
  ])
  expect(asked[0]).toMatchObject({
    tools: ['LS', 'Read', 'Glob', 'Grep'],
    client_tools: false,
  })
  const setting = { cwd: '/', permission_mode: 'bypassPermissions', model: 'demo' }
  expect([0, 1].map(depth => architect.isEnabled?.({ ...setting, depth }))).toEqual([true, false])
})
