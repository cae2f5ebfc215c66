import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import fc from 'fast-check'
import iconv from 'iconv-lite'
import { afterEach, describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { atomicWrite } from '../src/files/atomic-write.ts'
import { findSpan } from '../src/files/find-span.ts'
import { hashOf } from '../src/files/ledger.ts'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'

let stage: Stage | undefined
const open = (): Stage => {
  stage = createStage({ tools: createBuiltinTools(), mode: 'acceptEdits' })
  return stage
}
afterEach(() => {
  stage?.close()
  stage = undefined
})

async function withFile(text: string | Uint8Array, name = 'a.txt'): Promise<Stage> {
  const s = open()
  writeFileSync(s.path(name), text)
  await s.one('Read', { file_path: s.path(name) })
  return s
}
const edit = (s: Stage, old_string: string, new_string: string, more: object = {}) =>
  s.one('Edit', { file_path: s.path('a.txt'), old_string, new_string, ...more })
const content = (s: Stage, name = 'a.txt'): string => readFileSync(s.path(name), 'utf8')

describe('Write', () => {
  test('makes a new file with its directories', async () => {
    const s = open()
    const call = await s.one('Write', { file_path: s.path('x', 'y', 'a.txt'), content: 'hi\n' })
    expect(textOf(call)).toBe(`File created successfully at: ${s.path('x', 'y', 'a.txt')}`)
    expect(content(s, 'x/y/a.txt')).toBe('hi\n')
  })

  test('an existing file must have been read, and may then be written again and again', async () => {
    const s = open()
    writeFileSync(s.path('a.txt'), 'old\n')
    const write = (text: string) => s.one('Write', { file_path: s.path('a.txt'), content: text })
    expect(textOf(await write('new\n'))).toBe(
      'File has not been read yet. Read it first before writing to it.',
    )
    await s.one('Read', { file_path: s.path('a.txt') })
    expect(textOf(await write('new\n'))).toBe(`The file ${s.path('a.txt')} has been updated.`)
    s.restart()
    expect((await write('newer\n')).outcome?.is_error).toBe(false)
    expect(content(s)).toBe('newer\n')
  })

  test('a file that another program changed is not overwritten; the change is shown', async () => {
    const s = await withFile('one\ntwo\n')
    writeFileSync(s.path('a.txt'), 'one\n2\n')
    const call = await s.one('Write', { file_path: s.path('a.txt'), content: 'x' })
    expect(codeOf(call)).toBe('stale')
    expect(textOf(call)).toMatch(/has been modified since read.*-two\n\+2/s)
    expect(content(s)).toBe('one\n2\n')
  })

  test('a file that was only touched is not taken for changed', async () => {
    const s = await withFile('one\n')
    utimesSync(s.path('a.txt'), new Date(), new Date(Date.now() + 60_000))
    expect((await s.one('Write', { file_path: s.path('a.txt'), content: 'x' })).outcome?.is_error).toBe(false)
  })

  test('charset, mark and line ends of the old file are kept', async () => {
    const s = await withFile(Buffer.from('\ufeffone\r\ntwo\r\n'))
    await s.one('Write', { file_path: s.path('a.txt'), content: 'three\nfour\n' })
    expect(content(s)).toBe('\ufeffthree\r\nfour\r\n')
  })

  test('content that the charset cannot hold is refused', async () => {
    const s = await withFile(
      iconv.encode('Les élèves français étaient très fâchés à cause du café', 'windows-1252'),
    )
    expect(codeOf(await s.one('Write', { file_path: s.path('a.txt'), content: '漢字' }))).toBe(
      'not_encodable',
    )
  })

  test('a new file follows .editorconfig and .gitattributes', async () => {
    const s = open()
    writeFileSync(s.path('.editorconfig'), 'root = true\n[*.bat]\nend_of_line = crlf\n')
    writeFileSync(s.path('.gitattributes'), '*.cmd text eol=crlf\n')
    for (const name of ['a.bat', 'a.cmd', 'a.sh'])
      await s.one('Write', { file_path: s.path(name), content: 'x\n' })
    expect([content(s, 'a.bat'), content(s, 'a.cmd'), content(s, 'a.sh')]).toEqual(['x\r\n', 'x\r\n', 'x\n'])
  })

  test('the same content is not written, and that is said', async () => {
    const s = await withFile('same\n')
    const before = statSync(s.path('a.txt')).ino
    expect(textOf(await s.one('Write', { file_path: s.path('a.txt'), content: 'same\n' }))).toContain(
      'already has exactly this content',
    )
    expect(statSync(s.path('a.txt')).ino).toBe(before)
  })

  test('modes are kept, links stay links, and no temporary file is left', async () => {
    const s = open()
    writeFileSync(s.path('real.sh'), 'x\n')
    chmodSync(s.path('real.sh'), 0o755)
    symlinkSync('real.sh', s.path('a.txt'))
    await s.one('Read', { file_path: s.path('a.txt') })
    await s.one('Write', { file_path: s.path('a.txt'), content: 'y\n' })
    expect(lstatSync(s.path('a.txt')).isSymbolicLink()).toBe(true)
    expect([content(s, 'real.sh'), statSync(s.path('real.sh')).mode & 0o777]).toEqual(['y\n', 0o755])
    expect(readdirSync(s.workspace).sort()).toEqual(['a.txt', 'real.sh'])
  })

  test('other names of the same file see the change', async () => {
    const s = await withFile('old\n')
    linkSync(s.path('a.txt'), s.path('twin'))
    s.approve(await s.one('Write', { file_path: s.path('a.txt'), content: 'n\n' }))
    await s.settle()
    expect(content(s, 'twin')).toBe('n\n')
    expect(readdirSync(s.workspace).sort()).toEqual(['a.txt', 'twin'])
  })

  test('a directory and an endless name are refused, each by its own code', async () => {
    const s = open()
    mkdirSync(s.path('dir'))
    expect(codeOf(await s.one('Write', { file_path: s.path('dir'), content: 'x' }))).toBe('is_directory')
    expect(codeOf(await s.one('Write', { file_path: s.path('n'.repeat(300)), content: 'x' }))).toBe(
      'name_too_long',
    )
    expect(codeOf(await s.one('Write', { file_path: 'a\0b', content: 'x' }))).toBe('bad_path')
  })

  test('directories that were made for a write that failed are removed', async () => {
    const s = open()
    const path = s.path('new', 'deep', 'a.txt')
    const failing = atomicWrite({ path, bytes: Buffer.from('x'), expect: 'some other content' })
    await expect(failing).rejects.toThrow('content changed')
    expect(readdirSync(s.workspace)).toEqual([])
  })

  test('a change between check and commit is noticed and nothing is overwritten', async () => {
    const s = open()
    writeFileSync(s.path('a.txt'), 'old')
    const expected = hashOf(Buffer.from('old'))
    writeFileSync(s.path('a.txt'), 'theirs')
    await expect(
      atomicWrite({ path: s.path('a.txt'), bytes: Buffer.from('mine'), expect: expected }),
    ).rejects.toThrow('content changed')
    expect(content(s)).toBe('theirs')
    expect(readdirSync(s.workspace)).toEqual(['a.txt'])
  })

  test('the old content is kept for undo', async () => {
    const s = await withFile('old\n')
    await s.one('Write', { file_path: s.path('a.txt'), content: 'new\n' })
    const note = s.events('note').find(event => event.name.startsWith('change:'))?.value as { before: string }
    expect(readFileSync(`${s.dir}/artifacts/ses_1/blobs/${note.before}`, 'utf8')).toBe('old\n')
  })

  test('after a crash the content proves whether it was written', async () => {
    const s = await withFile('old\n')
    const input = { file_path: s.path('a.txt'), content: 'new\n' }
    const started = (call_id: string) =>
      s.append({ type: 'tool.started', ts: new Date().toISOString(), call_id, attempt: 1 })
    const value = {
      path: s.path('a.txt'),
      before: hashOf(Buffer.from('old\n')),
      after: hashOf(Buffer.from('new\n')),
    }
    await s.say([{ name: 'Write', input, id: 'c1' }])
    started('c1')
    s.append({ type: 'note', ts: '', name: 'change:c1', value })
    s.restart()
    await s.settle()
    expect(textOf(s.state().calls[0])).toBe(`The file ${s.path('a.txt')} has been updated.`)
    expect(content(s)).toBe('new\n')
    await s.say([{ name: 'Write', input, id: 'c2' }])
    started('c2')
    s.append({ type: 'note', ts: '', name: 'change:c2', value: { ...value, after: 'x', before: 'y' } })
    s.restart()
    await s.settle()
    expect(codeOf(s.state().calls[0])).toBe('unknown_outcome')
  })
})

describe('Edit', () => {
  test('replaces the one place and shows it with its surroundings', async () => {
    const s = await withFile('one\ntwo\nthree\n')
    const text = textOf(await edit(s, 'two', 'TWO'))
    expect(content(s)).toBe('one\nTWO\nthree\n')
    expect(text).toBe(
      `The file ${s.path('a.txt')} has been updated.\n     1\tone\n     2\tTWO\n     3\tthree`,
    )
  })

  test('the replacement is literal, whatever it holds', async () => {
    const s = await withFile('price\n')
    await edit(s, 'price', "$& $$ $` $' $1 \\n")
    expect(content(s)).toBe("$& $$ $` $' $1 \\n\n")
  })

  test.each([
    ['the same text twice', 'one', 'one', 'no_change', 'No changes to make'],
    ['text that is not there', 'zzz', 'x', 'no_match', 'String to replace not found in file.'],
    [
      'an empty old text for a file that has content',
      '',
      'x',
      'exists',
      'Cannot create new file - file already exists.',
    ],
  ])('%s is refused', async (...row) => {
    const [, old_string, new_string, code, text] = row
    const s = await withFile('one\ntwo\n')
    const call = await edit(s, old_string, new_string)
    expect([codeOf(call), textOf(call).startsWith(text)]).toEqual([code, true])
    expect(content(s)).toBe('one\ntwo\n')
  })

  test('several places are refused with their lines, unless all are meant', async () => {
    const s = await withFile('a\nb\na\n')
    const call = await edit(s, 'a', 'x')
    expect(textOf(call)).toMatch(
      /^Found 2 matches of the string to replace, but replace_all is false.*lines 1, 3/s,
    )
    await edit(s, 'a', 'x', { replace_all: true })
    expect(content(s)).toBe('x\nb\nx\n')
  })

  test('a missing file is created from an empty old text, and otherwise answered with names like it', async () => {
    const s = open()
    writeFileSync(s.path('a.ts'), '')
    expect(textOf(await edit(s, 'x', 'y'))).toMatch(/^File does not exist\. Did you mean .*a\.ts/)
    await edit(s, '', 'new\n')
    expect(content(s)).toBe('new\n')
  })

  test('a notebook is for NotebookEdit', async () => {
    const s = await withFile('{"cells":[]}', 'n.ipynb')
    expect(
      codeOf(await s.one('Edit', { file_path: s.path('n.ipynb'), old_string: 'a', new_string: 'b' })),
    ).toBe('notebook')
  })

  test('a file must have been read; of a long one only the lines to change', async () => {
    const s = open()
    writeFileSync(s.path('a.txt'), Array.from({ length: 100 }, (_, i) => `line ${i + 1}`).join('\n'))
    expect(codeOf(await edit(s, 'line 50', 'x'))).toBe('not_read')
    await s.one('Read', { file_path: s.path('a.txt'), offset: 45, limit: 10 })
    expect(textOf(await edit(s, 'line 90', 'x'))).toContain('Lines 90-90 have not been read yet')
    expect((await edit(s, 'line 50', 'fifty\nand more')).outcome?.is_error).toBe(false)
    // The seen lines move with the edit.
    expect((await edit(s, 'line 54', 'x')).outcome?.is_error).toBe(false)
    expect(codeOf(await edit(s, 'line 56\n', 'x'))).toBe('not_read')
  })

  test('a file that changed since is not edited', async () => {
    const s = await withFile('one\n')
    writeFileSync(s.path('a.txt'), 'ONE\n')
    expect(codeOf(await edit(s, 'ONE', 'x'))).toBe('stale')
  })

  test('text that is almost there is answered with the nearest place and what differs', async () => {
    const s = await withFile('function alpha(a, b) {\n  return a + b\n}\n')
    const text = textOf(await edit(s, 'function alpha(a, c) {\n  return a + c\n}', 'x'))
    expect(text).toContain('     1\tfunction alpha(a, [-c-]{+b+}) {')
  })

  test.each([
    ['line ends', 'one\r\ntwo', 'one\ntwo\n', 'x\n'],
    ['trailing blanks', 'one\ntwo', 'one  \ntwo\t\n', 'x\n'],
    ['punctuation', 'say "hi" - now', 'say \u201chi\u201d \u2014 now\n', 'x\n'],
  ])('text that differs only in %s is found, and that is said', async (step, old_string, before, after) => {
    const s = await withFile(before)
    const text = textOf(await edit(s, old_string, 'x'))
    expect(content(s)).toBe(after)
    expect(text).toContain(`ignoring ${step}`)
  })

  test('text at another indentation is found and the new text moves with it', async () => {
    const s = await withFile('class A {\n    if (x) {\n        y()\n    }\n}\n')
    await edit(s, 'if (x) {\n    y()\n}', 'if (z) {\n    w()\n\n    v()\n}')
    expect(content(s)).toBe('class A {\n    if (z) {\n        w()\n\n        v()\n    }\n}\n')
  })

  test('looser matches must be the only one', () => {
    expect(findSpan('a \nx\na  \n', 'a', 'b').spans).toHaveLength(2)
    expect(findSpan('  a\n\ta\n', '    a\n', 'b').spans.length).not.toBe(1)
  })

  test('pasted line numbers are named', async () => {
    const s = await withFile('one\ntwo\n')
    expect(textOf(await edit(s, '     1\tone\n     2\ttwo', 'x'))).toContain('line numbers')
  })

  test.each([
    '// ... rest of code unchanged',
    '# ... existing code ...',
    '/* … remaining methods unchanged … */',
  ])('a placeholder for code that is left out is refused: %s', async placeholder => {
    const s = await withFile('one\ntwo\n')
    expect(codeOf(await edit(s, 'one', `ONE\n${placeholder}`))).toBe('omission')
  })

  test('words that only look like a placeholder are not refused', async () => {
    const s = await withFile('one\ntwo\n')
    expect((await edit(s, 'one', '// the rest of the code below handles errors')).outcome?.is_error).toBe(
      false,
    )
  })

  test('removing a whole line removes its line break', async () => {
    const s = await withFile('one\ntwo\nthree\n')
    await edit(s, 'two', '')
    expect(content(s)).toBe('one\nthree\n')
  })

  test('a missing final line break stays missing', async () => {
    const s = await withFile('one\ntwo')
    await edit(s, 'two', 'x')
    expect(content(s)).toBe('one\nx')
  })

  test('several edits of one file in one message are applied in order and none is lost', async () => {
    const s = await withFile(Array.from({ length: 20 }, (_, i) => `line-${i};`).join('\n'))
    const calls = await s.run(
      ...Array.from({ length: 20 }, (_, i) => ({
        name: 'Edit',
        input: { file_path: s.path('a.txt'), old_string: `line-${i};`, new_string: `edited-${i};` },
      })),
    )
    expect(calls.every(call => call.outcome?.is_error === false)).toBe(true)
    expect(content(s)).toBe(Array.from({ length: 20 }, (_, i) => `edited-${i};`).join('\n'))
  })

  test('an edit may build on a write of the same message', async () => {
    const s = open()
    await s.run(
      { name: 'Write', input: { file_path: s.path('a.txt'), content: 'one\n' } },
      { name: 'Edit', input: { file_path: s.path('a.txt'), old_string: 'one', new_string: 'two' } },
    )
    expect(content(s)).toBe('two\n')
  })

  test('two sessions that edit one file at once lose neither edit nor file', async () => {
    const s = await withFile('a\nb\n')
    const other = createStage({ tools: createBuiltinTools(), mode: 'bypassPermissions' })
    try {
      await other.one('Read', { file_path: s.path('a.txt') })
      const [mine, theirs] = await Promise.all([
        edit(s, 'a', 'A'),
        other.one('Edit', { file_path: s.path('a.txt'), old_string: 'b', new_string: 'B' }),
      ])
      const applied = [mine, theirs].filter(call => call.outcome?.is_error === false).length
      const text = content(s)
      expect([text.includes('A'), text.includes('B')].filter(Boolean)).toHaveLength(applied)
      expect(applied).toBeGreaterThan(0)
    } finally {
      other.close()
    }
  })

  test('whatever is replaced, what the tool says was written is what is there', async () => {
    const word = fc.stringMatching(/^[a-c \n]{1,6}$/)
    await fc.assert(
      fc.asyncProperty(
        word,
        word,
        fc.stringMatching(/^[a-c \n]{0,30}$/),
        async (old_string, new_string, before) => {
          fc.pre(old_string !== new_string)
          const s = await withFile(before)
          try {
            const call = await edit(s, old_string, new_string, { replace_all: true })
            if (call.outcome?.is_error) expect(content(s)).toBe(before)
            else if (!/ignoring/.test(textOf(call)))
              expect(content(s)).toBe(before.split(old_string).join(new_string))
          } finally {
            s.close()
          }
        },
      ),
      { numRuns: 60 },
    )
  })
})

test('TodoWrite keeps the list in the session and allows one step at a time', async () => {
  const s = open()
  const todo = (status: string) => ({ content: `do ${status}`, status })
  expect(textOf(await s.one('TodoWrite', { todos: [todo('pending'), todo('completed')] }))).toContain(
    '2 entries, 1 not completed',
  )
  s.restart()
  await s.one('TodoWrite', { todos: [] })
  expect(s.events('tool.completed').at(-1)?.structured).toMatchObject({
    oldTodos: [todo('pending'), todo('completed')],
    newTodos: [],
  })
  expect(textOf(await s.one('TodoWrite', { todos: [todo('in_progress'), todo('in_progress')] }))).toContain(
    'At most one',
  )
})

test('Think logs the thought and Clock gives the time of a zone', async () => {
  const s = open()
  expect(textOf(await s.one('Think', { thought: 'hm' }))).toBe('Your thought has been logged.')
  expect(textOf(await s.one('Clock', { timezone: 'Asia/Shanghai' }))).toContain('Asia/Shanghai')
  expect(textOf(await s.one('Clock', { timezone: 'Mars/Base' }))).toContain('No such time zone')
})
