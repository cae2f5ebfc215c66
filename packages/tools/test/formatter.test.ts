/** Programs that change a file right after a call has written it: formatters, run by a hook or as a checker. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createMemoryStore } from '@toolwire/store'
import { afterEach, describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { createDiagnostics } from '../src/files/diagnostics.ts'
import { createUndo } from '../src/undo/undo.ts'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'

let stage: Stage | undefined
afterEach(() => {
  stage?.close()
  stage = undefined
})

/** `tab` becomes two blanks at the beginning of lines; a word at the top is added when it is not there. */
const FORMAT = `sed -i -e 's/^\\t/  /' -e '1{/^top$/!s/^/top\\n/}'`
const WAYS = {
  'a hook': (command: string): Stage =>
    createStage({
      tools: createBuiltinTools(),
      mode: 'acceptEdits',
      hooks: { after_tool: [{ matcher: 'Write|Edit', command: `cat > /dev/null; ${command} a.txt` }] },
    }),
  'a checker': (command: string): Stage => {
    const diagnostics = createDiagnostics([{ glob: '*.txt', command: `${command} "$FILE"` }])
    return createStage({ tools: createBuiltinTools({ diagnostics }), mode: 'acceptEdits' })
  },
}
const content = (s: Stage): string => readFileSync(s.path('a.txt'), 'utf8')
const write = (s: Stage, text: string) => s.one('Write', { file_path: s.path('a.txt'), content: text })
const edit = (s: Stage, old_string: string, new_string: string) =>
  s.one('Edit', { file_path: s.path('a.txt'), old_string, new_string })

describe.each(Object.entries(WAYS))('what %s makes of a file that was just written', (_, open) => {
  const start = (command = FORMAT): Stage => {
    stage = open(command)
    return stage
  }

  test('is shown, and the file may be edited further without being read again, after a restart too', async () => {
    const s = start()
    const call = await write(s, 'one\n\ttwo\n')
    expect(content(s)).toBe('top\none\n  two\n')
    expect(textOf(call)).toMatch(
      /was changed right after this, by a formatter perhaps:[\s\S]*\+top[\s\S]*-\ttwo\n\+ {2}two/,
    )
    s.restart()
    const edited = await edit(s, '  two', '\tthree\n\tfour')
    expect(edited.outcome?.is_error).toBe(false)
    expect(content(s)).toBe('top\none\n  three\n  four\n')
    expect((await edit(s, 'one\n  three', 'x')).outcome?.is_error).toBe(false)
    expect((await write(s, 'top\nend\n')).outcome?.is_error).toBe(false)
  })

  test('does not make lines seen that were not', async () => {
    const s = start()
    const lines = Array.from({ length: 60 }, (_line, n) => `line ${n + 1};`)
    writeFileSync(s.path('a.txt'), lines.join('\n'))
    await s.one('Read', { file_path: s.path('a.txt'), offset: 20, limit: 10 })
    expect((await edit(s, 'line 25;', '\tline 25!')).outcome?.is_error).toBe(false)
    expect(content(s).split('\n').slice(24, 27)).toEqual(['line 24;', '  line 25!', 'line 26;'])
    expect((await edit(s, 'line 29;', 'x')).outcome?.is_error).toBe(false)
    expect(codeOf(await edit(s, 'line 30;', 'x'))).toBe('not_read')
    expect(codeOf(await edit(s, 'line 19;', 'x'))).toBe('not_read')
  })

  test('is taken back together with the call', async () => {
    const s = start()
    writeFileSync(s.path('a.txt'), 'top\nold\n')
    await s.one('Read', { file_path: s.path('a.txt') })
    const call = await edit(s, 'old', '\tnew')
    expect(content(s)).toBe('top\n  new\n')
    const log = createMemoryStore()
    await log.append([{ session: 'ses_1', create: true, events: s.records.map(rec => rec.ev) }])
    const undo = createUndo({
      log,
      artifacts: `${s.dir}/artifacts`,
      now: () => new Date(0),
      newId: prefix => `${prefix}1`,
    })
    expect(await undo('ses_1', { call: call.call_id })).toMatchObject({ files: [{ action: 'restored' }] })
    expect(content(s)).toBe('top\nold\n')
  })

  test('that is too much to show, or a removed file, has to be read again', async () => {
    const s = start(`seq 1 100 >`)
    expect(textOf(await write(s, 'one\n'))).toContain('was changed in more than 40 lines right after this')
    expect(codeOf(await edit(s, '50', 'x'))).toBe('stale')
    s.close()
    const gone = start('rm')
    expect((await write(gone, 'one\n')).outcome?.is_error).toBe(false)
    expect(codeOf(await edit(gone, 'one', 'x'))).toBe('not_found')
    rmSync(gone.path('a.txt'), { force: true })
  })
})
