import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  applyRecords,
  type CallView,
  defineRenderer,
  describeCall,
  emptyView,
  type ToolDisplay,
} from '../../src/view/index.ts'
import { Script } from './script.ts'

function call(name: string, input: unknown, output?: string, extra: Partial<CallView> = {}): CallView {
  const script = new Script().created().ask('x').turn('m').call('m', 0, 'c', { name, input })
  if (output !== undefined) script.done('c', output)
  const found = applyRecords(emptyView(), script.records).calls.get('c')
  if (!found) throw new Error('no call')
  return { ...found, ...extra }
}
const picture = (name: string, input: unknown, output?: string, extra?: Partial<CallView>): ToolDisplay =>
  describeCall(call(name, input, output, extra))

describe('describeCall', () => {
  it('shows a command as a terminal with its live output, then its result', () => {
    const running = call('Bash', { command: 'npm test' }, undefined, {
      output: { tail: 'PASS a', older: '', chars: 6, lines: 0, cut: false },
    })
    expect(describeCall(running)).toMatchObject({
      title: 'npm test',
      body: { kind: 'terminal', output: 'PASS a' },
    })
    expect(picture('Bash', { command: 'ls' }, 'a.txt').body).toMatchObject({ output: 'a.txt', command: 'ls' })
  })

  it('names files relative to the workspace in titles, and in full in bodies', () => {
    const edit = call('Edit', { file_path: '/work/src/a.ts', old_string: 'a', new_string: 'b' })
    expect(describeCall(edit, [], '/work')).toMatchObject({
      title: 'src/a.ts',
      body: { path: '/work/src/a.ts' },
    })
    for (const cwd of ['', '/wor', '/work/src/a.ts', '/other'])
      expect(describeCall(edit, [], cwd).title).toBe('/work/src/a.ts')
    expect(describeCall(call('Bash', { command: 'ls /work' }), [], '/work').title).toBe('ls /work')
  })

  it('shows what is known of the arguments while they arrive', () => {
    const script = new Script().created().ask('x').turn('m').openCall('m', 0, 'c', 'Write')
    script.add('block.delta', {
      block_id: 'm.0',
      offset: 0,
      input_text: '{"file_path":"/a.ts","content":"let x',
    })
    const building = applyRecords(emptyView(), script.records).calls.get('c')
    expect(building && describeCall(building)).toMatchObject({
      title: '/a.ts',
      body: { kind: 'file', text: 'let x', lang: 'ts' },
    })
  })

  it('shows an edit as a diff, from the arguments or from the patch of the result', () => {
    expect(
      picture('Edit', { file_path: 'a', old_string: 'one\ntwo\n', new_string: 'one\n2\n' }).body,
    ).toMatchObject({
      kind: 'diff',
      added: 1,
      removed: 1,
      lines: [
        { type: 'same', text: 'one' },
        { type: 'remove', text: 'two' },
        { type: 'add', text: '2' },
      ],
    })
    const result = {
      output_text: 'ok',
      content: [],
      is_error: false,
      structured: { patch: '@@ -7,1 +7,1 @@\n-a\n+b\n' },
    }
    expect(picture('Write', { file_path: 'a', content: 'b' }, undefined, { result }).body).toMatchObject({
      kind: 'diff',
      lines: [
        { type: 'remove', old_line: 7 },
        { type: 'add', new_line: 7 },
      ],
    })
  })

  it('shows a file without the line numbers that the model needs', () => {
    expect(
      picture('Read', { file_path: '/a.py', offset: 10, limit: 2 }, '    10→x = 1\n    11→y'),
    ).toMatchObject({
      title: '/a.py:10–11',
      body: { kind: 'file', text: 'x = 1\ny', first_line: 10, lang: 'py' },
    })
  })

  it('keeps notices below a file apart from its text', () => {
    expect(picture('Read', { file_path: '/a' }, '     1\tx\n     2\t\n(more follows)').body).toMatchObject({
      text: 'x\n',
      first_line: 1,
      note: '(more follows)',
    })
  })

  it('leaves out what a search says of itself and prefers paths given as data', () => {
    expect(picture('Grep', { pattern: 'x' }, 'Found 1 file\n/a.ts\n(Showing 1 of 9)').body).toMatchObject({
      items: [{ path: '/a.ts' }],
    })
    expect(picture('Glob', { pattern: 'x' }, 'No files found').body).toMatchObject({ items: [] })
    const result = {
      output_text: 'odd',
      content: [],
      is_error: false,
      structured: { filenames: ['/b c.ts'] },
    }
    expect(picture('Glob', { pattern: 'x' }, undefined, { result }).body).toMatchObject({
      items: [{ path: '/b c.ts' }],
    })
  })

  it('shows the preview of a change to its approver', () => {
    const approval = {
      id: 'a',
      kind: 'approval',
      allow_edit: true,
      options: [],
      automatic: false,
      requested_at: 0,
      details: { preview: { gitDiff: '--- a\n+++ b\n@@ -1,1 +1,1 @@\n-one\n+two\n' } },
    } as const
    expect(picture('Write', { file_path: 'a', content: 'two' }, undefined, { approval }).body).toMatchObject({
      kind: 'diff',
      added: 1,
      removed: 1,
    })
  })

  it('shows a patch that any tool gives of itself', () => {
    const view = { kind: 'diff', body: { path: '/n.ipynb', patch: '@@ -1 +1 @@\n-a\n+b\n' } }
    expect(picture('mcp__x__edit', {}, 'ok', { view }).body).toMatchObject({
      kind: 'diff',
      path: '/n.ipynb',
      added: 1,
    })
  })

  it('shows matches with path and line', () => {
    expect(picture('Grep', { pattern: 'foo' }, 'src/a.ts:12:const foo: 3:4').body).toMatchObject({
      kind: 'search',
      items: [{ path: 'src/a.ts', line: 12, text: 'const foo: 3:4' }],
    })
  })

  it('shows todos and how many are done', () => {
    const todos = [
      { content: 'a', status: 'completed' },
      { content: 'b', status: 'odd' },
    ]
    expect(picture('TodoWrite', { todos })).toMatchObject({
      title: '1/2',
      body: {
        items: [
          { text: 'a', status: 'completed' },
          { text: 'b', status: 'pending' },
        ],
      },
    })
  })

  it('shows images of any tool', () => {
    const content = [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } },
    ] as const
    const result = { output_text: '', content, is_error: false }
    expect(picture('mcp__x__shot', {}, undefined, { result }).body).toEqual({
      kind: 'image',
      images: [{ src: 'data:image/png;base64,AA', media_type: 'image/png' }],
      text: '',
    })
  })

  it('shows unknown tools as JSON with a useful title', () => {
    expect(picture('get_weather', { city: '沈阳', id: 'x1' }, '{"t":3}')).toMatchObject({
      title: 'x1',
      body: { kind: 'json', input: { city: '沈阳' }, output: { t: 3 } },
    })
  })

  it('prefers own renderers, then what the tool says of itself', () => {
    const view = { title: 'From the tool', kind: 'text', body: 'hello' }
    const mine = call('get_weather', { city: 'x' }, 'y', { view })
    expect(describeCall(mine)).toMatchObject({
      title: 'From the tool',
      body: { kind: 'text', text: 'hello' },
    })
    const own = defineRenderer({
      match: /^get_/,
      title: () => 'Mine',
      body: () => ({ kind: 'text', text: 'own' }),
    })
    expect(describeCall(mine, [own])).toMatchObject({ title: 'Mine', body: { text: 'own' } })
  })

  it('does not show as output what the error of a failed call says', () => {
    const failure = { layer: 'execution', code: 'boom', message: 'It broke.', retryable: false } as const
    const failedWith = (output_text: string) =>
      picture('Mine', { a: 1 }, undefined, {
        state: 'failed',
        result: { output_text, content: [], is_error: true, failure, layer: 'execution' },
      }).body
    expect(failedWith('It broke.')).toMatchObject({ kind: 'json', text: '' })
    expect(failedWith('It broke.\n\nat line 7')).toMatchObject({ text: 'at line 7' })
    expect(failedWith('Something else')).toMatchObject({ text: 'Something else' })
  })

  it('never throws, whatever a model or a tool made', () => {
    const names = [
      'Bash',
      'Read',
      'Edit',
      'MultiEdit',
      'Write',
      'NotebookEdit',
      'Grep',
      'Glob',
      'LS',
      'WebSearch',
      'TodoWrite',
      'Agent',
      'Think',
      'x',
    ]
    const keys = fc.constantFrom(
      'command',
      'file_path',
      'edits',
      'todos',
      'old_string',
      'pattern',
      'offset',
      'prompt',
    )
    const input = fc.oneof(fc.jsonValue(), fc.dictionary(keys, fc.jsonValue()))
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        input,
        fc.string(),
        fc.jsonValue(),
        (name, args, output, structured) => {
          const made = describeCall({
            ...call(name, args),
            result: { output_text: output, content: [], is_error: false, structured },
          })
          expect(made.kind).toBe(made.body.kind)
          expect(made.title).not.toContain('\n')
        },
      ),
    )
  })
})
