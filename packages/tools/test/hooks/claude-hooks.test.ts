/** Hooks in the form of Claude Code: what is taken, what they are asked, and what their answers mean. */
import { existsSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/define-tool.ts'
import { fromClaudeAnswer, plainAnswer, toClaudeInput } from '../../src/hooks/claude-form.ts'
import { type HooksConfig, matches, parseHooks } from '../../src/hooks/hook-config.ts'
import type { HookEvent } from '../../src/hooks/hook-event.ts'
import { codeOf, createStage, type Stage, textOf } from '../stage.ts'

let stage: Stage | undefined
afterEach(() => {
  stage?.close()
  stage = undefined
})

const Bash = defineTool({
  name: 'Bash',
  description: 'runs',
  input: z.strictObject({ command: z.string() }),
  isReadOnly: () => true,
  async *call({ command }) {
    if (command === 'fail') yield { type: 'failure', message: 'it failed' }
    else yield { type: 'result', output_text: `ran ${command}` }
  },
})

function open(hooks: HooksConfig) {
  stage = createStage({ tools: [Bash], hooks })
  return stage
}
const command = (line: string, more = {}) => ({
  matcher: 'Bash',
  hooks: [{ type: 'command' as const, command: line, ...more }],
})

describe('around a call', () => {
  test('the input has the names of Claude Code', async () => {
    const { one, path } = open({ PreToolUse: [command('cat > asked.json')] })
    await one('Bash', { command: 'ls' })
    expect(JSON.parse(readFileSync(path('asked.json'), 'utf8'))).toMatchObject({
      hook_event_name: 'PreToolUse',
      session_id: 'ses_1',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      transcript_path: '',
      permission_mode: 'default',
    })
  })

  test('exit code 2 denies with the words on stderr, other codes do not', async () => {
    const denied = await open({ PreToolUse: [command('echo "not that" >&2; exit 2')] }).one('Bash', {
      command: 'ls',
    })
    expect([codeOf(denied), textOf(denied)]).toEqual(['denied_hook', expect.stringContaining('not that')])
    stage?.close()
    expect(textOf(await open({ PreToolUse: [command('exit 1')] }).one('Bash', { command: 'ls' }))).toContain(
      'ran ls',
    )
  })

  test('its own output changes the input, and replaces the output', async () => {
    const say = (output: object) =>
      `cat >/dev/null; printf '%s' '${JSON.stringify({ hookSpecificOutput: output })}'`
    const changed = await open({
      PreToolUse: [
        command(
          say({ hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput: { command: 'pwd' } }),
        ),
      ],
      PostToolUse: [command(say({ hookEventName: 'PostToolUse', additionalContext: 'look at it' }))],
    }).one('Bash', { command: 'ls' })
    expect(textOf(changed)).toMatch(/^ran pwd[\s\S]*look at it/)
    stage?.close()
    const replaced = await open({
      PostToolUse: [command(say({ updatedToolOutput: 'hidden' }))],
    }).one('Bash', { command: 'ls' })
    expect(textOf(replaced)).toBe('hidden')
  })

  test('the hooks of success and of failure see only theirs', async () => {
    const { one, path } = open({
      PostToolUse: [command('touch good')],
      PostToolUseFailure: [command('touch bad')],
    })
    await one('Bash', { command: 'fail' })
    expect([existsSync(path('good')), existsSync(path('bad'))]).toEqual([false, true])
  })

  test('no shell reads separate arguments', async () => {
    const { one, path } = open({ PreToolUse: [command('touch', { args: ['$(touch evil)'] })] })
    await one('Bash', { command: 'ls' })
    expect([existsSync(path('$(touch evil)')), existsSync(path('evil'))]).toEqual([true, false])
  })
})

describe('the configuration', () => {
  const problemOf = (value: unknown): string => {
    try {
      parseHooks(value)
      return ''
    } catch (error) {
      return error instanceof Error ? error.message : ''
    }
  }
  test.each([
    ['an event that is not here', { SessionEnd: [] }, 'SessionEnd'],
    [
      'a type that is not here',
      { Stop: [{ hooks: [{ type: 'prompt', prompt: 'x' }] }] },
      '"prompt" are not supported',
    ],
    [
      'a field that is not here',
      { Stop: [{ hooks: [{ type: 'command', command: 'x', once: true }] }] },
      'once',
    ],
    ['a malformed matcher', { PreToolUse: [{ matcher: '(', hooks: [] }] }, 'regular expression'],
    ['a private address', { Stop: [{ hooks: [{ type: 'http', url: 'http://10.0.0.1/' }] }] }, 'only https'],
    ['a name in an address', { message: [{ url: 'https://me:pw@example.com/' }] }, 'password'],
    ['a short secret', { message: [{ url: 'https://example.com/', secret: 'whsec_AAAA' }] }, 'whsec_'],
    ['a matcher without a subject', { message: [{ command: 'x', matcher: 'Bash' }] }, 'nothing to match'],
    [
      'a block where nothing can be',
      { before_stop: [{ command: 'x', on_failure: 'block' }] },
      'cannot block',
    ],
    [
      'a header that splits',
      { message: [{ url: 'https://example.com/', headers: { a: 'b\r\nc: d' } }] },
      'headers',
    ],
  ])('%s is refused at the start, by name', (_, value, name) => {
    expect(problemOf(value)).toContain(name)
  })

  test('both forms may be mixed, and times are seconds', () => {
    const lists = parseHooks({
      message: [{ command: 'a' }],
      UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'b', timeout: 2.5 }] }],
    })
    expect(lists.message.map(({ timeout_ms, form }) => [timeout_ms, form])).toEqual([
      [10_000, undefined],
      [2_500, 'claude'],
    ])
  })

  test('a matcher is an expression for the whole name', () => {
    const [hook] = parseHooks({
      PreToolUse: [command('x')].map(one => ({ ...one, matcher: 'Edit|mcp__.*' })),
    }).before_tool
    if (!hook) throw new Error('no hook')
    expect(['Edit', 'NotebookEdit', 'mcp__a__b'].map(name => matches(hook, name))).toEqual([
      true,
      false,
      true,
    ])
  })
})

describe('answers', () => {
  test.each([
    ['message', { decision: 'block', reason: 'no' }, { decision: 'block', reason: 'no' }],
    ['message', { hookSpecificOutput: { additionalContext: 'x' } }, { context: 'x' }],
    ['before_tool', { decision: 'block', reason: 'no' }, { decision: 'deny', reason: 'no' }],
    ['before_stop', { decision: 'block', reason: 'test it' }, { decision: 'continue', reason: 'test it' }],
    ['agent_stop', { continue: false, stopReason: 'enough' }, { stop: 'enough' }],
    [
      'permission_request',
      { hookSpecificOutput: { decision: { behavior: 'allow' } } },
      { decision: 'allow' },
    ],
    [
      'permission_request',
      { hookSpecificOutput: { decision: { behavior: 'deny', message: 'no', interrupt: true } } },
      { decision: 'deny', reason: 'no', stop: 'no' },
    ],
    ['elicitation', { hookSpecificOutput: { action: 'accept', content: { a: 1 } } }, { answer: { a: 1 } }],
    ['elicitation', { hookSpecificOutput: { action: 'decline' } }, { decision: 'decline' }],
    ['after_tool', { decision: 'block', reason: 'look' }, { context: 'look' }],
    ['notification', { continue: true, systemMessage: 'x' }, {}],
  ] as const)('%s: %j', (event, answer, meant) => {
    expect(fromClaudeAnswer(event, answer)).toEqual(meant)
  })

  test('an answer that cannot be followed is no silent nothing', () => {
    const answer = { hookSpecificOutput: { decision: { behavior: 'allow', updatedInput: {} } } }
    expect(() => fromClaudeAnswer('permission_request', answer)).toThrow('updatedInput')
  })

  test('plain text is for the model at the start and with a message, and has no effect elsewhere', () => {
    expect(plainAnswer('session_start', 'hi')).toEqual({ context: 'hi' })
    expect(plainAnswer('before_stop', 'hi')).toEqual({})
  })

  test('the input of a stop shows that a hook has sent the run on before', () => {
    const base = { session_id: 's', cwd: '/', permission_mode: 'default' }
    const stop = (times: number): HookEvent => ({ ...base, event: 'before_stop', result_text: 'x', times })
    expect([0, 1].map(times => toClaudeInput(stop(times))['stop_hook_active'])).toEqual([false, true])
  })
})
