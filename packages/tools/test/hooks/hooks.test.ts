/** Hooks around tool calls: what they may decide, change and say, and what happens when they fail. */
import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/define-tool.ts'
import { type HooksConfig, parseHooks } from '../../src/hooks/hook-config.ts'
import { codeOf, createStage, type Stage, textOf } from '../stage.ts'

let stage: Stage | undefined
afterEach(() => {
  stage?.close()
  stage = undefined
})

const tools = (ran: unknown[]) =>
  ['look', 'touch'].map(name =>
    defineTool({
      name,
      description: name,
      input: z.strictObject({ at: z.string() }),
      isReadOnly: () => name === 'look',
      async *call(input) {
        ran.push(input)
        yield { type: 'result', output_text: `${name} ${input.at}` }
      },
    }),
  )

function open(hooks: HooksConfig, rules = {}) {
  const ran: unknown[] = []
  const opened = createStage({ tools: tools(ran), hooks, permissions: { rules } })
  stage = opened
  return { ...opened, ran }
}
const say = (answer: object) => `cat >/dev/null; printf '%s' '${JSON.stringify(answer)}'`

describe('before a call', () => {
  test('a denial is a failure of the call with the reason, and nothing runs', async () => {
    const { one, ran } = open({ before_tool: [{ command: say({ decision: 'deny', reason: 'not today' }) }] })
    const call = await one('look', { at: 'x' })
    expect(codeOf(call)).toBe('denied_hook')
    expect(textOf(call)).toContain('not today')
    expect(ran).toEqual([])
  })

  test('exit code 2 denies with what the command wrote to stderr', async () => {
    const { one } = open({ before_tool: [{ command: 'echo "no way" >&2; exit 2' }] })
    expect(textOf(await one('look', { at: 'x' }))).toContain('no way')
  })

  test('an allowance spares the question, but not a rule that asks or denies', async () => {
    const hooks: HooksConfig = { before_tool: [{ command: say({ decision: 'allow' }) }] }
    expect(textOf(await open(hooks).one('touch', { at: 'x' }))).toBe('touch x')
    stage?.close()
    expect((await open(hooks, { ask: ['touch'] }).one('touch', { at: 'x' })).approval).toBeDefined()
    stage?.close()
    expect(codeOf(await open(hooks, { deny: ['touch'] }).one('touch', { at: 'x' }))).toBe('denied_rule')
  })

  test('a question is asked even about what would be allowed', async () => {
    const { one } = open({ before_tool: [{ command: say({ decision: 'ask', reason: 'sure?' }) }] })
    expect(await one('look', { at: 'x' })).toMatchObject({ approval: { message: 'sure?' } })
  })

  test('a changed input is what runs, is sent to the model, and survives a question and a restart', async () => {
    const { one, ran, restart, approve, settle, state } = open({
      before_tool: [{ matcher: 'touch', command: 'printf x >> asked; printf \'{"input":{"at":"safe"}}\'' }],
    })
    const call = await one('touch', { at: 'danger' })
    expect(call.approval).toBeDefined()
    restart()
    approve(state().calls[0] ?? call)
    await settle()
    expect(ran).toEqual([{ at: 'safe' }])
    expect(textOf(state().calls[0] ?? call)).toBe(
      'touch safe\n[A hook changed the arguments to {"at":"safe"}.]',
    )
    expect(readFileSync(stage?.path('asked') ?? '', 'utf8')).toBe('x')
  })

  test('a changed input that does not fit the tool fails the call', async () => {
    const { one, ran } = open({ before_tool: [{ command: say({ input: { wrong: 1 } }) }] })
    const call = await one('look', { at: 'x' })
    expect(codeOf(call)).toBe('invalid_input')
    expect(textOf(call)).toContain('A hook changed')
    expect(ran).toEqual([])
  })

  test('what a person edited is shown to the hooks again', async () => {
    const deny = `grep -q '"at":"evil"' && { echo caught >&2; exit 2; }; exit 0`
    const { one, approve, settle, state, ran } = open({ before_tool: [{ command: deny }] })
    const call = await one('touch', { at: 'fine' })
    approve(call, { edited_input_text: '{"at":"evil"}' })
    await settle()
    expect(codeOf(state().calls[0] ?? call)).toBe('denied_hook')
    expect(ran).toEqual([])
  })

  test('each sees what the one before it left; other tools are not its business', async () => {
    const { run, path } = open({
      before_tool: [
        { matcher: 'lo*', command: say({ input: { at: 'y' } }) },
        { matcher: 'look|nothing', command: `cat > ${'seen'}` },
        { matcher: 'touch', command: 'exit 2' },
      ],
    })
    await run({ name: 'look', input: { at: 'x' } })
    expect(JSON.parse(readFileSync(path('seen'), 'utf8'))).toMatchObject({
      event: 'before_tool',
      tool: 'look',
      input: { at: 'y' },
      permission_mode: 'default',
    })
  })
})

describe('after a call', () => {
  test('the output is replaced, context is added', async () => {
    const { one } = open({
      after_tool: [{ command: say({ output: 'hidden' }) }, { command: say({ context: 'by the way' }) }],
    })
    expect(textOf(await one('look', { at: 'x' }))).toBe('hidden\n[by the way]')
  })

  test('it can make a result an error', async () => {
    const { one } = open({ after_tool: [{ command: say({ is_error: true }) }] })
    expect((await one('look', { at: 'x' })).outcome).toMatchObject({ is_error: true, output_text: 'look x' })
  })
})

describe('a module', () => {
  test('gets the event and answers with a value', async () => {
    const { one, path } = open({ after_tool: [{ module: '/nowhere/never-loaded.mjs', matcher: 'touch' }] })
    expect(textOf(await one('look', { at: 'x' }))).toBe('look x')
    const file = path('hook.mjs')
    writeFileSync(file, 'export const hook = event => ({ output: event.output_text.toUpperCase() })')
    const second = createStage({ tools: tools([]), hooks: { after_tool: [{ module: file }] } })
    expect(textOf(await second.one('look', { at: 'x' }))).toBe('LOOK X')
    second.close()
  })
})

describe('a hook that fails', () => {
  const failing = [
    ['exits with another code', { command: 'echo broken >&2; exit 7' }, /exit code 7. broken/],
    ['says something that is not JSON', { command: 'echo hello' }, /not valid JSON/],
    ['misspells its answer', { command: say({ desicion: 'deny' }) }, /another form/],
    ['takes too long', { command: 'sleep 600', timeout_ms: 50 }, /longer than 50 ms/],
    ['is a module that is not there', { module: '/nowhere/hook.mjs' }, /failed/],
  ] as const

  for (const [how, hook, text] of failing) {
    test(`and ${how} is reported; the call continues`, async () => {
      const { one } = open({ before_tool: [hook] })
      const call = await one('look', { at: 'x' })
      expect(call.outcome).toMatchObject({ is_error: false })
      expect(textOf(call)).toMatch(/^look x\n\[The hook /)
      expect(textOf(call)).toMatch(text)
    })

    test(`and ${how} blocks the call where it is configured to`, async () => {
      const { one, ran } = open({ before_tool: [{ ...hook, on_failure: 'block' }] })
      const call = await one('look', { at: 'x' })
      expect(codeOf(call)).toBe('denied_hook')
      expect(textOf(call)).toMatch(text)
      expect(ran).toEqual([])
    })
  }

  test('after the call withholds the output where it is configured to', async () => {
    const { one } = open({ after_tool: [{ command: 'exit 1', on_failure: 'block' }] })
    const call = await one('look', { at: 'secret' })
    expect(textOf(call)).not.toContain('look secret')
    expect(call.outcome?.is_error).toBe(true)
  })
})

test('a malformed configuration is refused with the field that is wrong', () => {
  expect(() => parseHooks({ before_tool: [{ comand: 'x' }] })).toThrow(/before_tool/)
  expect(() => parseHooks({ before: [] })).toThrow(/before/)
})

test('the configurations in docs/hooks.md are valid ones', () => {
  const page = readFileSync(new URL('../../../../docs/hooks.md', import.meta.url), 'utf8')
  const blocks = [...page.matchAll(/^```json hooks\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
  const counts = blocks.map(text => Object.values(parseHooks(JSON.parse(text))).flat().length)
  expect(counts).toEqual([3, 3, 2])
})
