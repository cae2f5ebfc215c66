/** What is seen of a call before it is allowed. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  applyRecords,
  type CallView,
  describeCall,
  emptyView,
  type ToolBody,
} from '../../../src/view/index.ts'
import { askedView, diffRows, isAsked, keepList } from '../../../src/view/parts/index.ts'
import { Script } from '../script.ts'

function askedCall(name: string, input: unknown, details: unknown = {}): CallView {
  const script = new Script().created().ask('go').turn('m1').call('m1', 0, 'c1', { name, input })
  script.add('tool.approval_requested', { approval_id: 'a', call_id: 'c1', name, allow_edit: true, details })
  const call = applyRecords(emptyView(), script.records).calls.get('c1')
  if (!call) throw new Error('no call')
  return call
}

const look = (name: string, input: unknown, details?: unknown) => {
  const call = askedCall(name, input, details)
  return askedView(call, describeCall(call).body)
}

const NAMES = [
  'Bash',
  'Read',
  'Edit',
  'Write',
  'Grep',
  'Glob',
  'LS',
  'WebFetch',
  'WebSearch',
  'NotebookEdit',
].concat(['TodoWrite', 'Agent', 'Think', 'MemoryWrite', 'MultiEdit', 'mcp__files__remove'])

/** Everything that a body draws in full, as one text. */
function drawnText(body: ToolBody): string {
  switch (body.kind) {
    case 'terminal':
      return body.command
    case 'diff':
      return [body.path, ...body.lines.map(line => line.text)].join('\n')
    case 'json':
      return typeof body.input === 'string' ? body.input : JSON.stringify(body.input)
    case 'file':
      return `${body.path}\n${body.text}`
    case 'notebook':
      return `${body.path}\n${body.source}`
    case 'agent':
      return body.prompt
    case 'todo':
      return body.items.map(item => item.text).join('\n')
    case 'text':
      return body.text
    default:
      return ''
  }
}

describe('a call that asks for permission', () => {
  test('shows every argument, whatever its renderer leaves out', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '/', '-'), minLength: 12, maxLength: 30 })
    const names = fc.constantFrom('command', 'file_path', 'path', 'url', 'prompt', 'content', 'old_string')
    const further = fc.constantFrom('new_string', 'thought', 'pattern', 'description', 'mode', 'cell_id')
    const input = fc.dictionary(fc.oneof(names, further), word, { minKeys: 1, maxKeys: 8 })
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), input, (name, given) => {
        const shown = look(name, given).bodies.map(drawnText).join('\n')
        for (const text of Object.values(given)) expect(shown).toContain(text)
      }),
    )
  })

  test('shows switches beside the command that they are for', () => {
    const { bodies, isCut } = look('Bash', { command: 'ls', dangerouslyDisableSandbox: true, timeout: 1 })
    expect(bodies).toMatchObject([
      { kind: 'terminal', command: 'ls' },
      { kind: 'json', input: { dangerouslyDisableSandbox: true, timeout: 1 } },
    ])
    expect(isCut).toBe(false)
  })

  test('shows an address that has no result yet by its arguments alone', () => {
    const url = `https://evil.example/?q=${'x'.repeat(250)}&end`
    expect(look('WebFetch', { url, prompt: 'read' }).bodies).toMatchObject([
      { kind: 'json', input: { url, prompt: 'read' } },
    ])
  })

  test.each<[string, string, unknown, boolean]>([
    ['a short command', 'Bash', { command: 'ls -la' }, false],
    ['forty-five lines', 'Bash', { command: 'echo\n'.repeat(45) }, false],
    ['forty-six lines', 'Bash', { command: 'echo\n'.repeat(46) }, true],
    ['lines of nothing before an end', 'Bash', { command: `ls${'\n'.repeat(200)}rm -rf /` }, true],
    ['one wide line', 'Bash', { command: `echo ${'x'.repeat(1000)}; rm -rf /` }, true],
    ['a wide line of another argument', 'Bash', { command: 'ls', description: 'x'.repeat(1001) }, true],
    ['a change of sixty lines', 'Write', { file_path: 'a', content: 'x\n'.repeat(30) }, false],
    ['a long file', 'Write', { file_path: 'a', content: 'x\n'.repeat(40) }, true],
    ['a long change', 'Edit', { file_path: 'a', old_string: 'b', new_string: 'x\n'.repeat(80) }, true],
    [
      'a wide line of a change',
      'Edit',
      { file_path: 'a', old_string: 'b', new_string: 'x'.repeat(1001) },
      true,
    ],
    ['a long path', 'Edit', { file_path: 'x'.repeat(1001), old_string: 'b', new_string: 'c' }, true],
    ['a long task', 'Agent', { prompt: 'do\n'.repeat(41) }, true],
    ['a long source', 'NotebookEdit', { notebook_path: 'a', new_source: 'x\n'.repeat(36) }, true],
    ['many tasks', 'TodoWrite', { todos: Array(101).fill({ content: 'x', status: 'pending' }) }, true],
    ['few fields', 'mcp__x__y', { a: 'b', c: 1 }, false],
    ['many fields', 'mcp__x__y', { list: Array(40).fill('x') }, true],
    ['a wide field', 'mcp__x__y', { script: 'x'.repeat(2000) }, true],
    ['a megabyte', 'mcp__x__y', { deep: { list: Array(5000).fill({ a: 'x'.repeat(200) }) } }, true],
    ['a bare text', 'mcp__x__y', 'x\n'.repeat(50), true],
  ])('is cut or not: %s', (_, name, input, isCut) => {
    expect(look(name, input).isCut).toBe(isCut)
  })

  test('gives the number of omitted parts of large arguments', () => {
    const { bodies } = look('mcp__x__y', { deep: { list: Array(5000).fill({ a: 'x'.repeat(200) }) } })
    const [body] = bodies
    expect(body?.kind === 'json' && typeof body.input === 'string' && body.input.split('\n').length).toBe(
      15_006,
    )
  })

  test('is one that waits for a decision, not for an answer', () => {
    const call = askedCall('Bash', { command: 'ls' })
    expect(isAsked(call)).toBe(true)
    const { approval } = call
    expect(isAsked({ ...call, ...(approval ? { approval: { ...approval, kind: 'question' } } : {}) })).toBe(
      false,
    )
    expect(isAsked({ ...call, state: 'executing' })).toBe(false)
  })
})

test('a change shows both ends, and all of it where little would be left out', () => {
  const lines = Array.from({ length: 61 }, (_, n) => ({ type: 'add', text: `${n}` }) as const)
  const { head, hidden, tail } = diffRows(lines, 40)
  expect([head.length, hidden, tail.at(-1)?.text]).toEqual([40, 1, '60'])
  expect(diffRows(lines.slice(1), 40)).toMatchObject({ hidden: 0, tail: [] })
})

test('a list is kept while its entries are the same', () => {
  const before = [{}, {}]
  expect(keepList(before, [...before])).toBe(before)
  expect(keepList(before, before.slice(1))).toHaveLength(1)
  expect(keepList(before, [{}, {}])).not.toBe(before)
})
