import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { createNotebookEditTool } from '../src/builtin/notebook-edit.ts'
import { createNotebookReadTool } from '../src/builtin/notebook-read.ts'
import { planCells } from '../src/notebooks/change-cells.ts'
import { findArray } from '../src/notebooks/json-places.ts'
import { parseNotebook } from '../src/notebooks/notebook.ts'
import { notebookProblems } from '../src/notebooks/notebook-problems.ts'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'

let stage: Stage | undefined
const open = (mode = 'bypassPermissions'): Stage => {
  stage = createStage({ tools: [createNotebookReadTool(), createNotebookEditTool()], mode })
  return stage
}
afterEach(() => {
  stage?.close()
  stage = undefined
})

type Json = Readonly<Record<string, unknown>>
const code = (id: string, source: unknown, outputs: readonly unknown[] = []): Json => ({
  cell_type: 'code',
  execution_count: 3,
  id,
  metadata: {},
  outputs,
  source,
})
const markdown = (id: string, source: unknown, more: Json = {}): Json => ({
  ...more,
  cell_type: 'markdown',
  id,
  metadata: {},
  source,
})
const book = (cells: readonly unknown[], minor = 5): Json => ({
  cells,
  metadata: { language_info: { name: 'julia' } },
  nbformat: 4,
  nbformat_minor: minor,
})
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

function put(s: Stage, content: unknown, name = 'a.ipynb'): string {
  const path = s.path(name)
  writeFileSync(path, typeof content === 'string' ? content : `${JSON.stringify(content, null, 1)}\n`)
  return path
}
const read = (s: Stage, path: string, more: object = {}) =>
  s.one('NotebookRead', { notebook_path: path, ...more })
const edit = (s: Stage, path: string, more: object) =>
  s.one('NotebookEdit', { notebook_path: path, new_source: '', ...more })
const lastData = (s: Stage): unknown => s.events('tool.completed').at(-1)?.structured
const cellsOf = (path: string): readonly Json[] =>
  (JSON.parse(readFileSync(path, 'utf8')) as { cells: readonly Json[] }).cells

describe('reading', () => {
  test('cells come with id, kind, language and outputs of every kind', async () => {
    const s = open()
    const path = put(
      s,
      book([
        markdown('intro', ['# Title\n', 'text']),
        code('run', 'plot()', [
          { output_type: 'stream', name: 'stdout', text: ['1\n', '2\n'] },
          { output_type: 'execute_result', execution_count: 3, metadata: {}, data: { 'text/plain': '42' } },
          {
            output_type: 'display_data',
            metadata: {},
            data: { 'text/html': '<p>one <b>two</b></p><script>x()</script>' },
          },
        ]),
      ]),
    )
    expect(textOf(await read(s, path))).toBe(
      [
        '<cell id="intro" type="markdown">\n# Title\ntext\n</cell>',
        '<cell id="run" type="code" lang="julia">\nplot()\n</cell>',
        '<output type="stream" name="stdout">\n1\n2\n</output>',
        '<output type="execute_result">\n42\n</output>',
        '<output type="display_data">\none **two**\n</output>',
      ].join('\n'),
    )
  })

  test('images of outputs become image parts, as many as one result may hold', async () => {
    const s = open()
    const picture = { output_type: 'display_data', metadata: {}, data: { 'image/png': [PNG, '\n'] } }
    const path = put(
      s,
      book([
        code(
          'p',
          'plot()',
          Array.from({ length: 25 }, () => picture),
        ),
      ]),
    )
    const call = await read(s, path)
    expect(call.outcome?.content).toHaveLength(20)
    expect(call.outcome?.content?.[0]).toEqual({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: PNG },
    })
    expect(textOf(call).match(/not shown/g)).toHaveLength(5)
  })

  test('colours of tracebacks are stripped and long outputs cut in the middle', async () => {
    const s = open()
    const path = put(
      s,
      book([
        code('e', 'boom', [
          { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['\u001b[31mE\u001b[0m: v'] },
          { output_type: 'stream', name: 'stdout', text: `start${'x'.repeat(20_000)}end` },
        ]),
      ]),
    )
    const text = textOf(await read(s, path))
    expect(text).toContain('<output type="error">\nE: v\n</output>')
    expect(text.length).toBeLessThan(11_000)
    expect(text).toMatch(/start.*characters left out.*end/s)
  })

  test('a long notebook is paged by cell id', async () => {
    const s = open()
    const cells = Array.from({ length: 10 }, (_, i) => markdown(`c${i}`, 'y'.repeat(8_000)))
    const path = put(s, book(cells))
    const text = textOf(await read(s, path))
    expect(text).toContain('<cell id="c2"')
    expect(text).not.toContain('<cell id="c3"')
    expect(text).toContain(
      '[7 of 10 cells are not shown; read them with cell_id: c3, c4, c5, c6, c7, c8, c9]',
    )
    expect(textOf(await read(s, path, { cell_id: 'c9' }))).toMatch(/^<cell id="c9".*<\/cell>$/s)
  })

  test('cells without an id are named by their place, unknown ids answered with the known ones', async () => {
    const s = open()
    const { id: _, ...bare } = markdown('x', 'hello')
    const path = put(s, book([bare], 4))
    expect(textOf(await read(s, path, { cell_id: 'cell-0' }))).toContain('hello')
    const missing = await read(s, path, { cell_id: 'nope' })
    expect(codeOf(missing)).toBe('cell_not_found')
    expect(textOf(missing)).toContain('Cells: cell-0.')
  })

  test.each([
    ['{ not json', 'a.ipynb', 'bad_notebook', 'not valid JSON'],
    [{ nbformat: 3, worksheets: [] }, 'a.ipynb', 'bad_notebook', 'nbformat 3'],
    [{ nbformat: 4 }, 'a.ipynb', 'bad_notebook', 'no list of cells'],
    [{ nbformat: 4, cells: [1] }, 'a.ipynb', 'bad_notebook', 'cell 0'],
    [[], 'a.ipynb', 'bad_notebook', 'no object'],
    [book([]), 'a.json', 'not_a_notebook', 'Use Read'],
  ])('what is no notebook is said: %j', async (content, name, problem, words) => {
    const s = open()
    const call = await read(s, put(s, content, name))
    expect(codeOf(call)).toBe(problem)
    expect(textOf(call)).toContain(words)
  })
})

describe('editing', () => {
  test('a notebook that was not read, or has changed since, is not edited', async () => {
    const s = open()
    const path = put(s, book([code('a', 'x')]))
    expect(codeOf(await edit(s, path, { cell_id: 'a', new_source: 'y' }))).toBe('not_read')
    await read(s, path)
    put(s, book([code('a', 'z')]))
    expect(codeOf(await edit(s, path, { cell_id: 'a', new_source: 'y' }))).toBe('stale')
    expect(cellsOf(path)[0]?.['source']).toBe('z')
  })

  test('a cell that was not seen is not replaced, one that was is', async () => {
    const s = open()
    const path = put(s, book([code('a', 'x'), code('b', 'y')]))
    await read(s, path, { cell_id: 'a' })
    expect(codeOf(await edit(s, path, { cell_id: 'b', new_source: 'new' }))).toBe('not_read')
    expect(codeOf(await edit(s, path, { cell_id: 'b', edit_mode: 'delete' }))).toBe('not_read')
    expect(codeOf(await edit(s, path, { cell_id: 'a', new_source: 'new' }))).toBeUndefined()
    expect(codeOf(await edit(s, path, { cell_id: 'a', new_source: 'longer\nnow\nhere' }))).toBeUndefined()
    expect(codeOf(await edit(s, path, { cell_id: 'b', new_source: 'new' }))).toBe('not_read')
  })

  test('replace clears the outputs of that cell only and changes no other byte', async () => {
    const s = open()
    const stream = { output_type: 'stream', name: 'stdout', text: ['1\n'] }
    // 1.0 and the spaces would not survive being parsed and written again.
    const before = `${JSON.stringify(
      book([code('a', ['x\n', 'y'], [stream]), code('b', ['z'], [stream])]),
      null,
      1,
    )
      .replace('"execution_count": 3', '"execution_count":  3')
      .replace('"language_info"', '"ratio": 1.0,\n  "language_info"')}\n\n`
    const path = put(s, before)
    await read(s, path)
    await edit(s, path, { cell_id: 'b', new_source: 'n\nm' })
    const after = readFileSync(path, 'utf8')
    const same = before.indexOf('"id": "b"') - 60
    expect(after.slice(0, same)).toBe(before.slice(0, same))
    expect(after.slice(after.indexOf(' "metadata": {\n  "ratio"'))).toBe(
      before.slice(before.indexOf(' "metadata": {\n  "ratio"')),
    )
    expect(cellsOf(path)[1]).toEqual({ ...code('b', ['n\n', 'm']), execution_count: null })
    expect(lastData(s)).toMatchObject({ cell_id: 'b', old_source: 'z', new_source: 'n\nm' })
  })

  test('insert goes after the cell, or to the start, with a valid new id', async () => {
    const s = open()
    const path = put(s, book([code('a', ['x']), code('b', ['y'])]))
    await read(s, path)
    expect(textOf(await edit(s, path, { edit_mode: 'insert', new_source: 'q' }))).toContain('needs cell_type')
    await edit(s, path, { edit_mode: 'insert', cell_id: 'a', cell_type: 'markdown', new_source: 'after a' })
    await edit(s, path, { edit_mode: 'insert', cell_type: 'code', new_source: 'first' })
    await edit(s, path, { edit_mode: 'insert', cell_id: 'b', cell_type: 'code', new_source: 'last' })
    const cells = cellsOf(path)
    expect(cells.map(cell => cell['source'])).toEqual([['first'], ['x'], ['after a'], ['y'], ['last']])
    expect(notebookProblems(cells, 5)).toEqual([])
    expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(book(cells), null, 1)}\n`)
  })

  test('a new cell never takes the id of another', () => {
    const insert = (text: string) => {
      const parsed = parseNotebook(text)
      const planned = parsed.ok
        ? planCells(parsed.notebook, { mode: 'insert', source: '', seed: 'same' })
        : parsed
      return planned.ok ? planned.change.cell_id : 'none'
    }
    const first = insert(JSON.stringify(book([])))
    expect(first).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    const second = insert(JSON.stringify(book([markdown(first, [])])))
    expect(second).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect([first, 'none']).not.toContain(second)
  })

  test('an inserted cell may be changed at once, without being read', async () => {
    const s = open()
    const path = put(s, book([]))
    await read(s, path)
    await edit(s, path, { edit_mode: 'insert', cell_type: 'code', new_source: 'one' })
    const { cell_id } = lastData(s) as { cell_id: string }
    expect(codeOf(await edit(s, path, { cell_id, new_source: 'two' }))).toBeUndefined()
    expect(cellsOf(path)).toEqual([{ ...code(cell_id, ['two']), execution_count: null }])
  })

  test('before nbformat 4.5 a new cell has no id', async () => {
    const s = open()
    const path = put(s, book([], 4))
    await read(s, path)
    await edit(s, path, { edit_mode: 'insert', cell_type: 'markdown', new_source: 'm' })
    expect(cellsOf(path)).toEqual([{ cell_type: 'markdown', metadata: {}, source: ['m'] }])
  })

  test('delete removes one cell, the first, a middle or the last', async () => {
    const s = open()
    for (const gone of ['a', 'b', 'c']) {
      const all = ['a', 'b', 'c'].map(id => code(id, [id]))
      const path = put(s, book(all), `${gone}.ipynb`)
      await read(s, path)
      await edit(s, path, { edit_mode: 'delete', cell_id: gone })
      const left = all.filter(cell => cell['id'] !== gone)
      expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(book(left), null, 1)}\n`)
    }
  })

  test('changing the kind adds and removes what the kinds need', async () => {
    const s = open()
    const path = put(
      s,
      book([code('a', ['x']), markdown('b', ['y'], { attachments: { 'p.png': { 'image/png': PNG } } })]),
    )
    await read(s, path)
    await edit(s, path, { cell_id: 'a', cell_type: 'markdown', new_source: 'x' })
    expect(cellsOf(path)[0]).toEqual(markdown('a', ['x']))
    await edit(s, path, { cell_id: 'b', new_source: 'kept' })
    expect(cellsOf(path)[1]).toHaveProperty('attachments')
    await edit(s, path, { cell_id: 'b', cell_type: 'code', new_source: 'y' })
    expect(cellsOf(path)[1]).toEqual({ ...code('b', ['y']), execution_count: null })
    // As sorted as Jupyter had left them.
    expect(Object.keys(cellsOf(path)[1] ?? {})).toEqual(Object.keys(code('b', [])))
    expect(notebookProblems(cellsOf(path), 5)).toEqual([])
  })

  test('the style of the file is kept: indentation, source as text, escapes, line ends', async () => {
    const s = open()
    const text = JSON.stringify(book([code('a', 'x'), markdown('b', '\u00e9')]), null, 4)
      .replaceAll('\u00e9', '\\u00e9')
      .replaceAll('\n', '\r\n')
    const path = put(s, text)
    await read(s, path)
    await edit(s, path, { cell_id: 'a', new_source: 'é\nz' })
    const expected = JSON.stringify(
      book([{ ...code('a', 'é\nz'), execution_count: null }, markdown('b', 'é')]),
      null,
      4,
    )
    expect(readFileSync(path, 'utf8')).toBe(expected.replaceAll('é', '\\u00e9').replaceAll('\n', '\r\n'))
  })

  test('a notebook that was invalid already is edited, and that is said', async () => {
    const s = open()
    const { execution_count: _, ...broken } = code('a', ['x'])
    const path = put(s, book([broken, code('b', ['y'])]))
    await read(s, path)
    expect(textOf(await edit(s, path, { cell_id: 'b', new_source: 'z' }))).toContain('not valid before')
    expect(textOf(await edit(s, path, { cell_id: 'a', new_source: 'z' }))).not.toContain('not valid')
    expect(notebookProblems(cellsOf(path), 5)).toEqual([])
  })

  test('people are asked first, with the change of the cell to look at', async () => {
    const s = open('default')
    const path = put(s, book([code('a', ['x'])]))
    await read(s, path)
    const call = await edit(s, path, { cell_id: 'a', new_source: 'changed' })
    expect(call.outcome).toBeUndefined()
    expect(JSON.stringify(s.events('tool.approval_requested')[0]?.details)).toContain('+changed')
    s.approve(call)
    await s.settle()
    expect(cellsOf(path)[0]?.['source']).toEqual(['changed'])
  })
})

describe('places in JSON', () => {
  test('every element is found at its position, however the text is laid out', () => {
    const blanks = fc.constantFrom('', ' ', '\n  ', '\t')
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 6 }), fc.jsonValue(), blanks, (items, other, gap) => {
        const body = items.map(item => JSON.stringify(item, null, gap.trim() === '' ? gap.length : 0))
        const text = `${gap}{${gap}"other"${gap}:${JSON.stringify(other)},"cells":[${gap}${body.join(`${gap},${gap}`)}${gap}]${gap},"z":[1]}`
        const found = findArray(text, 'cells')
        expect(found?.elements.map(({ start, end }) => text.slice(start, end))).toEqual(body)
      }),
    )
  })

  test('a change is the change of one cell, whatever the others hold', () => {
    const source = fc.string({ unit: 'binary' }).map(text => text.replaceAll('\r', ''))
    fc.assert(
      fc.property(
        fc.array(source, { minLength: 1, maxLength: 5 }),
        source,
        fc.nat(),
        (sources, fresh, pick) => {
          const cells = sources.map((text, i) => markdown(`c${i}`, text))
          const parsed = parseNotebook(JSON.stringify(book(cells), null, 1))
          const index = pick % cells.length
          if (!parsed.ok) throw new Error('not parsed')
          const plan = planCells(parsed.notebook, {
            mode: 'replace',
            cell_id: `c${index}`,
            source: fresh,
            seed: 's',
          })
          if (!plan.ok) throw new Error(plan.problem.message)
          const { span, replacement } = plan.change
          const { text } = parsed.notebook
          const after = text.slice(0, span.start) + replacement + text.slice(span.end)
          const expected = cells.map((cell, i) => (i === index ? markdown(`c${i}`, fresh) : cell))
          expect(JSON.parse(after)).toEqual(book(expected))
        },
      ),
    )
  })
})
