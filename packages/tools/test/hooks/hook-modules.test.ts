/** Hooks that are modules: what they export, what they may not touch, and one that never answers. */
import { writeFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/define-tool.ts'
import { type HooksConfig, matches, parseHooks } from '../../src/hooks/hook-config.ts'
import { codeOf, createStage, type Stage, textOf } from '../stage.ts'

let stages: Stage[] = []
afterEach(() => {
  for (const stage of stages) stage.close()
  stages = []
})

const look = defineTool({
  name: 'look',
  description: 'look',
  input: z.strictObject({ at: z.array(z.string()) }),
  isReadOnly: () => true,
  async *call({ at }) {
    yield { type: 'result', output_text: `saw ${at.join()}` }
  },
})

/** Runs one call with a hook whose module holds this text. */
async function withModule(
  source: string,
  more: Partial<NonNullable<HooksConfig['before_tool']>[number]> = {},
) {
  const folder = createStage({ tools: [] })
  const module = folder.path('hook.mjs')
  writeFileSync(module, source)
  const stage = createStage({ tools: [look], hooks: { before_tool: [{ module, ...more }] } })
  stages.push(folder, stage)
  return await stage.one('look', { at: ['here'] })
}

test('a default export is a hook too', async () => {
  const call = await withModule(
    `export default ({ tool, input }) => ({ decision: 'deny', reason: tool + input.at })`,
  )
  expect([codeOf(call), textOf(call)]).toEqual([
    'denied_hook',
    expect.stringMatching(/^lookhere\. Nothing was executed/),
  ])
})

test('one that changes what it was shown changes nothing', async () => {
  const call = await withModule(`export const hook = event => { event.input.at.push('elsewhere') }`)
  expect(textOf(call)).toBe('saw here')
})

test('one that never answers is left after its time, and that is said', async () => {
  const never = 'export const hook = () => new Promise(() => {})'
  expect(textOf(await withModule(never, { timeout_ms: 30 }))).toMatch(
    /^saw here\n\[The hook .*longer than 30 ms/,
  )
  const blocked = await withModule(never, { timeout_ms: 30, on_failure: 'block' })
  expect(codeOf(blocked)).toBe('denied_hook')
})

test('one that never ends to load is left after its time too', async () => {
  const call = await withModule('await new Promise(() => {})', { timeout_ms: 30 })
  expect(textOf(call)).toMatch(/^saw here\n\[The hook .*longer than 30 ms/)
})

test('one that throws, whatever it throws, or exports nothing is said', async () => {
  const thrown = `export const hook = () => { throw Object.create(null) }`
  expect(textOf(await withModule(thrown))).toMatch(/^saw here\n\[The hook .* failed/)
  expect(textOf(await withModule('export const other = 1'))).toContain('exports no function named hook')
})

test('of several after a call each sees the output that the one before it left', async () => {
  const first = `cat >/dev/null; printf '{"output":"hidden"}'`
  const second = `grep -q '"output_text":"hidden"' && printf '{"context":"it was hidden"}'; exit 0`
  const stage = createStage({
    tools: [look],
    hooks: { after_tool: [{ command: first }, { command: second }] },
  })
  stages.push(stage)
  expect(textOf(await stage.one('look', { at: ['here'] }))).toBe('hidden\n[it was hidden]')
})

test('a star at the end of a matcher matches an ending, not a prefix', () => {
  const [hook] = parseHooks({ before_tool: [{ matcher: 'lo*|mcp__git__*', command: 'true' }] }).before_tool
  const seen = ['look', 'slow', 'mcp__git__push', 'my_mcp__git__push', 'lo'].filter(
    name => hook && matches(hook, name),
  )
  expect(seen).toEqual(['look', 'mcp__git__push', 'lo'])
})
