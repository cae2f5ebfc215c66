/** Cards of calls with very large arguments, results or errors: a part of them is drawn, never all. */
import { applyRecords, emptyView } from '@toolwire/core/view'
import { describe, expect, test } from 'vitest'
import { Script } from '../../core/test/view/script.ts'
import { drawReact, drawVue } from './draw-session.ts'

/** It is hidden until the user asks for it. */
const HIDDEN = 'IN_THE_MIDDLE'
const wide = `begin ${'x'.repeat(400_000)} ${HIDDEN} ${'x'.repeat(400_000)} end`
const lines = (line: string) => `${`${line}\n`.repeat(8000)}${HIDDEN}\n${`${line}\n`.repeat(8000)}`
const long = lines(`a line of ${'words '.repeat(8)}`)
const many = Array.from({ length: 20_000 }, (_, n) => (n === 10_000 ? HIDDEN : `item ${n}`))

const INPUTS: Readonly<Record<string, readonly [tool: string, input: Readonly<Record<string, unknown>>]>> = {
  'a command of many lines': ['Bash', { command: long }],
  'a command of one line': ['Bash', { command: wide }],
  'a file of many lines': ['Write', { file_path: 'a.txt', content: long }],
  'a file of one line': ['Write', { file_path: 'a.txt', content: wide }],
  'a path': ['Write', { file_path: wide, content: '' }],
  'a change': ['Edit', { file_path: 'a.txt', old_string: long, new_string: long.replaceAll('line', 'row') }],
  'a notebook cell': ['NotebookEdit', { notebook_path: 'a.ipynb', new_source: long }],
  'a list of things to do': ['TodoWrite', { todos: many.map(content => ({ content, status: 'pending' })) }],
  'a task for an agent': ['Agent', { prompt: long, description: wide }],
  'a thought': ['Think', { thought: long }],
  'a text for a tool that nobody knows': ['mcp__any__tool', { text: wide, other: [1, 2] }],
  'a list for a tool that nobody knows': ['mcp__any__tool', { many }],
}

const started = (tool: string, input: object) =>
  new Script().created().ask('hi').turn('m1').call('m1', 0, 'c1', { name: tool, input })

const waiting = ([tool, input]: readonly [string, object]) =>
  started(tool, input).add('tool.approval_requested', {
    approval_id: 'a1',
    call_id: 'c1',
    name: tool,
    message: `${tool} wants to do this: ${wide}`,
    allow_edit: true,
    details: { suggested_rule: `${tool}(${wide})` },
  }).records

const done = ([tool, input]: readonly [string, object]) =>
  started(tool, input).add('tool.started', { call_id: 'c1', attempt: 1 }).done('c1', long).records

async function drawn(records: Script['records']): Promise<readonly string[]> {
  const view = applyRecords(emptyView(), records)
  const options = { locale: 'en', density: 'everything' } as const
  return [drawReact(view, options), await drawVue(view, options)]
}

/** A card of sixty lines of a thousand characters would be larger. */
const MOST = 60_000

describe.each(Object.entries(INPUTS))('%s of a megabyte', (_, call) => {
  test.each([
    ['waits for an answer', waiting],
    ['has run', done],
  ])('is drawn in part where the call %s, by React and by Vue', async (_state, records) => {
    for (const html of await drawn(records(call))) {
      expect(html).not.toContain(HIDDEN)
      expect(html.length).toBeLessThan(MOST)
      // All of it can be asked for.
      expect(html).toContain('data-tw-part="view-full"')
    }
  })
})

test('an error of a megabyte is drawn in part by React and by Vue', async () => {
  const { records } = started('Bash', { command: 'ls' }).add('tool.failed', {
    call_id: 'c1',
    error: { layer: 'execution', code: 'x', message: long, retryable: false },
    output_text: long,
    duration_ms: 1,
  })
  for (const html of await drawn(records)) {
    expect(html).not.toContain(HIDDEN)
    expect(html.length).toBeLessThan(MOST)
  }
})
