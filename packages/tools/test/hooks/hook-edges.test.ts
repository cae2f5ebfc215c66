/** Several hooks together, hooks around calls that fail or are stopped, and what commands may take and leave behind. */
import { existsSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/define-tool.ts'
import type { HooksConfig } from '../../src/hooks/hook-config.ts'
import { running, unique, until } from '../running.ts'
import { codeOf, createStage, type Stage, textOf } from '../stage.ts'

let stage: Stage | undefined
afterEach(() => {
  vi.unstubAllEnvs()
  stage?.close()
  stage = undefined
})

/** `look` gives a result in every form there is, `fail` fails. */
function open(hooks: HooksConfig, rules = {}): Stage {
  const look = defineTool({
    name: 'look',
    description: 'look',
    input: z.strictObject({}),
    isReadOnly: () => true,
    async *call() {
      yield {
        type: 'result',
        output_text: 'a secret',
        structured: { found: 'a secret' },
        content: [{ type: 'text', text: 'a secret' }],
        view: { title: 'a secret', kind: 'text' },
      }
    },
  })
  const fail = defineTool({
    name: 'fail',
    description: 'fail',
    input: z.strictObject({}),
    isReadOnly: () => true,
    async *call() {
      yield { type: 'failure', message: 'it went wrong' }
    },
  })
  stage = createStage({ tools: [look, fail], hooks, permissions: { rules } })
  return stage
}
const say = (answer: object) => `cat >/dev/null; printf '%s' '${JSON.stringify(answer)}'`

describe('of several hooks', () => {
  test('one that asks outweighs one that allows, in any order', async () => {
    const asks = { command: say({ decision: 'ask', reason: 'sure?' }) }
    const allows = { command: say({ decision: 'allow' }) }
    for (const before_tool of [
      [asks, allows],
      [allows, asks],
    ]) {
      const s = open({ before_tool })
      expect(await s.one('look', {})).toMatchObject({ approval: { message: 'sure?' } })
      s.close()
    }
  })

  test('one that denies has the last word; those behind it are not asked', async () => {
    const s = open({
      before_tool: [
        { command: say({ decision: 'deny', reason: 'never' }) },
        { command: `touch asked; ${say({ decision: 'allow' })}` },
      ],
    })
    const call = await s.one('look', {})
    expect(codeOf(call)).toBe('denied_hook')
    expect(textOf(call)).toContain('never')
    expect(existsSync(s.path('asked'))).toBe(false)
  })
})

test('a hook that asks does not turn what a rule denies into a question', async () => {
  const s = open({ before_tool: [{ command: say({ decision: 'ask' }) }] }, { deny: ['look'] })
  const call = await s.one('look', {})
  expect(codeOf(call)).toBe('denied_rule')
  expect(call.approval).toBeUndefined()
})

test('context from a hook before the call is sent to the model with the result', async () => {
  const s = open({ before_tool: [{ command: say({ context: 'by the way' }) }] })
  expect(textOf(await s.one('look', {}))).toBe('a secret\n[by the way]')
})

test('what a hook replaced is in no other form of the result either', async () => {
  const s = open({ after_tool: [{ command: say({ output: 'hidden' }) }] })
  await s.one('look', {})
  const [done] = s.events('tool.completed')
  expect(done?.output_text).toBe('hidden')
  expect(JSON.stringify(done)).not.toContain('a secret')
})

test('what a hook puts in place of an output is cut like any output', async () => {
  const long = `head -c 60000 /dev/zero | tr '\\0' x`
  const s = open({ after_tool: [{ command: `cat >/dev/null; printf '{"output":"'; ${long}; printf '"}'` }] })
  const text = textOf(await s.one('look', {}))
  expect(text.startsWith('[Output cut: 30000 of 60000 characters')).toBe(true)
  expect(text.length < 40_000).toBe(true)
})

test('a call that failed stays failed, with what the hooks say of it', async () => {
  const s = open({ after_tool: [{ command: say({ output: 'try later', context: 'by the way' }) }] })
  const call = await s.one('fail', {})
  expect(call.outcome).toMatchObject({ is_error: true, output_text: 'try later\n[by the way]' })
})

test('hooks that a stopping server cuts off are asked again by the next one', async () => {
  const s = open({
    before_tool: [
      { command: 'printf x >> asked; [ "$(cat asked)" = xx ] || sleep 600', on_failure: 'block' },
    ],
  })
  await s.say([{ name: 'look', input: {} }])
  const settled = s.settle()
  await until(() => existsSync(s.path('asked')) && readFileSync(s.path('asked'), 'utf8') === 'x')
  s.shutdown()
  await settled
  s.restart()
  await s.settle()
  expect(textOf(s.state().calls[0])).toBe('a secret')
  expect(readFileSync(s.path('asked'), 'utf8')).toBe('xx')
})

describe('a command', () => {
  test('leaves no process behind', async () => {
    const mark = unique()
    const s = open({ before_tool: [{ command: `sleep ${mark} >/dev/null 2>&1 & exit 0` }] })
    expect(textOf(await s.one('look', {}))).toBe('a secret')
    await until(() => running(`sleep\0${mark}`).length === 0)
  })

  test('is over when it ends, though a child of it holds its output open', async () => {
    const mark = unique()
    const command = `sleep ${mark} & echo '{"decision":"deny","reason":"no"}'`
    const s = open({ before_tool: [{ command, timeout_ms: 600_000 }] })
    expect(textOf(await s.one('look', {}))).toMatch(/^no\. Nothing was executed/)
    expect(running(`sleep\0${mark}`)).toEqual([])
  })

  test('is over when it ends, though a child that went away from it holds its output open', async () => {
    const mark = unique()
    const command = `setsid sleep ${mark} & echo '{"decision":"deny","reason":"no"}'`
    const s = open({ before_tool: [{ command, timeout_ms: 600_000 }] })
    expect(textOf(await s.one('look', {}))).toMatch(/^no\. Nothing was executed/)
    for (const pid of running(`sleep\0${mark}`)) process.kill(pid, 'SIGKILL')
  })

  test('that says more than it may is ended, and that is said', async () => {
    const s = open({ before_tool: [{ command: `head -c 3000000 /dev/zero | tr '\\0' x; sleep 600` }] })
    expect(textOf(await s.one('look', {}))).toMatch(/^a secret\n\[The hook .* ended with a signal/)
  })

  test('gets no secret of the server', async () => {
    vi.stubEnv('TOOLWIRE_TEST_API_KEY', 'do-not-tell')
    const s = open({ before_tool: [{ command: 'env > seen' }] })
    await s.one('look', {})
    const seen = readFileSync(s.path('seen'), 'utf8')
    expect(seen).toContain('PATH=')
    expect(seen).not.toContain('do-not-tell')
  })
})
