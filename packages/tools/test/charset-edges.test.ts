/** Charsets where the bytes, the project and the guess disagree: no byte outside an edit may change all the same. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import iconv from 'iconv-lite'
import { afterEach, describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { decode, detectCharset } from '../src/files/charset.ts'
import { charsetNamed } from '../src/files/charset-name.ts'
import { planEdit } from '../src/files/plan-edit.ts'
import { showPath } from '../src/search/show-path.ts'
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
const project = (s: Stage, text: string): void =>
  writeFileSync(s.path('.editorconfig'), `root = true\n${text}`)
const read = (s: Stage, name: string) => s.one('Read', { file_path: s.path(name) })
const write = (s: Stage, name: string, content: string) =>
  s.one('Write', { file_path: s.path(name), content })
const edit = (s: Stage, name: string, old_string: string, new_string: string) =>
  s.one('Edit', { file_path: s.path(name), old_string, new_string })
const latin = (text: string): Buffer => Buffer.from(text, 'latin1')

const TEXTS = {
  big5: '這是一個用來測試編碼識別的中文檔案，裡面有很多常用的漢字。我們希望它能夠被正確識別。',
  'euc-kr': '이것은 인코딩 인식을 시험하기 위한 한국어 파일입니다. 많은 단어가 있습니다.',
  'euc-jp': 'これは文字コードの判定を試すための日本語のファイルです。ひらがなとカタカナと漢字があります。',
  'windows-1250': 'Toto je textový soubor v češtině. Příliš žluťoučký kůň úpěl ďábelské ódy, řekl Žižka.',
  'windows-1251': 'Это текстовый файл на русском языке, чтобы проверить распознавание кодировки.',
  'windows-1253': 'Αυτό είναι ένα αρχείο κειμένου στα ελληνικά, για να δοκιμάσουμε την αναγνώριση.',
  'windows-1254': 'Bu, kodlama tanımayı denemek için Türkçe bir metin dosyasıdır; ığüşöç, şimdi.',
  'windows-1255': 'זהו קובץ טקסט בעברית כדי לבדוק את זיהוי הקידוד. יש כאן הרבה מילים בעברית.',
  'windows-1256': 'هذا ملف نصي باللغة العربية لاختبار التعرف على الترميز. هناك الكثير من الكلمات.',
  'koi8-r': 'Это текстовый файл на русском языке, чтобы проверить распознавание кодировки.',
} as const

describe.each(Object.entries(TEXTS))('a file in %s', (name, text) => {
  const bytes = iconv.encode(`${text}\nend\n`, name)

  test('is recognised, read, named, and edited in its charset', async () => {
    const s = open()
    writeFileSync(s.path('a.txt'), bytes)
    expect(textOf(await read(s, 'a.txt'))).toBe(`     1\t${text}\n     2\tend\n[Charset: ${name}]`)
    const last = text.slice(-6)
    await edit(s, 'a.txt', `${last}\nend`, `${last}${last}\nEND`)
    expect(readFileSync(s.path('a.txt')).equals(iconv.encode(`${text}${last}\nEND\n`, name))).toBe(true)
  })

  test('is found by words that it holds', async () => {
    const s = open()
    writeFileSync(s.path('a.txt'), bytes)
    expect(textOf(await s.one('Grep', { pattern: text.slice(0, 4) }))).toContain('a.txt')
  })
})

test.each(['utf-32be', 'utf-32le'])('a file in %s is known by its mark', name => {
  const mark = name === 'utf-32be' ? [0, 0, 0xfe, 0xff] : [0xff, 0xfe, 0, 0]
  const bytes = Buffer.concat([Buffer.from(mark), iconv.encode('a😀b', name, { addBOM: false })])
  expect(detectCharset(bytes)).toEqual({ name, bom: 4 })
  expect(decode(bytes, detectCharset(bytes))).toBe('a😀b')
})

test.each(['utf-16le', 'utf-16be'])('a file in %s without a mark is known by its zero bytes', async name => {
  const s = open()
  writeFileSync(s.path('a.txt'), iconv.encode('one\ntwo é\n', name, { addBOM: false }))
  expect(textOf(await read(s, 'a.txt'))).toContain('two é')
  await edit(s, 'a.txt', 'two', '2')
  expect(readFileSync(s.path('a.txt')).equals(iconv.encode('one\n2 é\n', name, { addBOM: false }))).toBe(true)
})

test('a file that its project declares UTF-8 and that is not keeps every other byte', async () => {
  const s = open()
  project(s, '[*]\ncharset = utf-8\n')
  writeFileSync(s.path('a.txt'), latin('Les élèves étaient là\ntarget\nà la fin\n'))
  expect(textOf(await read(s, 'a.txt'))).toContain('Les élèves étaient là')
  await edit(s, 'a.txt', 'target', 'été')
  expect(readFileSync(s.path('a.txt'), 'latin1')).toBe('Les élèves étaient là\nété\nà la fin\n')
})

test('UTF-8 with a wrong byte in it is still read as UTF-8, and the byte stays', async () => {
  const s = open()
  const head = Buffer.concat([
    Buffer.from('这是一个文件，里面有一个坏字节：'),
    Buffer.from([0xff, 0xe4, 0xb8]),
  ])
  writeFileSync(s.path('a.txt'), Buffer.concat([head, Buffer.from('\n目标\n')]))
  expect(textOf(await read(s, 'a.txt'))).toContain('这是一个文件')
  await edit(s, 'a.txt', '目标', '完成')
  expect(readFileSync(s.path('a.txt')).equals(Buffer.concat([head, Buffer.from('\n完成\n')]))).toBe(true)
})

test('the replacement character of invalid bytes is not written over them', async () => {
  const s = open()
  const bytes = Buffer.concat([
    Buffer.from('这是一个文件，里面有坏字节：'),
    Buffer.from([0xff]),
    Buffer.from(' x\n'),
  ])
  writeFileSync(s.path('a.txt'), bytes)
  const shown =
    textOf(await read(s, 'a.txt'))
      .slice(7)
      .split('\n')[0] ?? ''
  expect(shown).toContain('\ufffd')
  expect(codeOf(await edit(s, 'a.txt', '\ufffd x', '\ufffd y'))).toBe('not_encodable')
  expect(codeOf(await write(s, 'a.txt', `${shown}!\n`))).toBe('not_encodable')
  expect(readFileSync(s.path('a.txt')).equals(bytes)).toBe(true)
  expect((await edit(s, 'a.txt', ' x', ' y')).outcome?.is_error).toBe(false)
  expect((await edit(s, 'a.txt', '：\ufffd y', '。')).outcome?.is_error).toBe(false)
  expect(readFileSync(s.path('a.txt'), 'utf8')).toBe('这是一个文件，里面有坏字节。\n')
  writeFileSync(s.path('b.txt'), 'a sign: \ufffd\n')
  await read(s, 'b.txt')
  expect((await edit(s, 'b.txt', 'a sign: \ufffd', 'one: \ufffd')).outcome?.is_error).toBe(false)
})

test('whatever the bytes are and the project says, an edit changes nothing but its place', () => {
  const named = ['utf-8', 'utf8', 'unset', 'none', 'utf-7', 'base64', 'gbk', 'cp936', 'sjis', 'windows-31j']
  const preferred = fc.constantFrom(undefined, ...named, 'Big5-HKSCS', 'euc_kr', 'EUC-JP', 'latin2', 'cesu8')
  const part = fc.uint8Array({ maxLength: 24 })
  let edited = 0
  fc.assert(
    fc.property(part, part, preferred, (head, tail, name) => {
      const around = (middle: string): Buffer => Buffer.concat([head, Buffer.from(`\n${middle}\n`), tail])
      const plan = planEdit(
        around('<target>'),
        { old_string: '<target>', new_string: 'X', replace_all: false },
        name,
      )
      if (!plan.ok) {
        expect(plan.problem.code).toBe('no_match')
        return
      }
      edited++
      expect(Buffer.from(plan.edit.after).equals(around('X'))).toBe(true)
    }),
    // Two bytes that are a mark: what follows is another text.
    { numRuns: 600, examples: [[Uint8Array.of(255, 254), new Uint8Array(), undefined]] },
  )
  expect(edited).toBeGreaterThan(500)
})

test('names of charsets are known in all their spellings; unknown ones, or those that cannot be edited exactly, are not', () => {
  const known = ['UTF-8', 'gb2312', 'Shift-JIS', 'windows-31j', 'EUC_KR', 'latin1', 'ISO-8859-15', 'cp1251']
  expect(known.map(charsetNamed)).toEqual([
    'utf-8',
    'gbk',
    'shift_jis',
    'shift_jis',
    'euc-kr',
    'windows-1252',
    'iso-8859-15',
    'cp1251',
  ])
  for (const name of ['unset', '', 'utf-7', 'base64', 'hex', 'cesu8', 'nonsense'])
    expect(charsetNamed(name)).toBeUndefined()
})

test('bytes that end inside a character are UTF-8 only where more of the file follows', () => {
  const bytes = latin('caf\u00e9')
  expect(detectCharset(bytes).name).toBe('windows-1252')
  expect(detectCharset(bytes, undefined, true).name).toBe('utf-8')
  expect(showPath(bytes)).toBe('caf\\xe9')
  expect(showPath(Buffer.from('café'))).toBe('café')
})

describe('a new file', () => {
  const made = async (s: Stage, name: string, content = 'é\n'): Promise<Buffer> => {
    await write(s, name, content)
    return readFileSync(s.path(name))
  }

  test('is in the charset that the project names, with a mark where it wants one', async () => {
    const s = open()
    project(
      s,
      '[*.bom]\ncharset = utf-8-bom\n[*.wide]\ncharset = utf-16le\n[*.old]\ncharset = latin1\n[*.sjis]\ncharset = sjis\n',
    )
    expect(await made(s, 'a.bom')).toEqual(Buffer.from('\ufeffé\n'))
    expect(await made(s, 'a.wide')).toEqual(Buffer.from('\ufeffé\n', 'utf16le'))
    expect(await made(s, 'a.old')).toEqual(latin('é\n'))
    expect(await made(s, 'a.sjis', '漢字')).toEqual(iconv.encode('漢字', 'shift_jis'))
    expect(codeOf(await write(s, 'b.old', '漢字'))).toBe('not_encodable')
    expect(await made(s, 'a.txt')).toEqual(Buffer.from('é\n'))
  })

  test('is UTF-8 where the project names no charset that is known, and so is one that Edit makes', async () => {
    const s = open()
    project(s, '[*]\ncharset = nonsense\nend_of_line = crlf\n[*.u]\ncharset = unset\nend_of_line = unset\n')
    expect((await made(s, 'a.txt')).toString()).toBe('é\r\n')
    expect((await made(s, 'a.u')).toString()).toBe('é\n')
    writeFileSync(s.path('.gitattributes'), 'b.* eol=crlf\n')
    expect((await made(s, 'b.u')).toString()).toBe('é\r\n')
    await edit(s, 'b.txt', '', 'é\n')
    expect(readFileSync(s.path('b.txt'), 'utf8')).toBe('é\r\n')
  })

  test('has the line ends that .gitattributes gives to its path, within its repository', async () => {
    const s = open()
    project(s, '')
    writeFileSync(
      s.path('.gitattributes'),
      '* eol=crlf\n/src/win/*.txt eol=lf\ndocs/** eol=lf\n*.sh eol=lf\n',
    )
    mkdirSync(s.path('inner', '.git'), { recursive: true })
    const ends = [
      'a.txt',
      'src/win/a.txt',
      'other/src/win/a.txt',
      'docs/deep/a.txt',
      'docs/deep/a.sh',
      'inner/a.txt',
    ]
    const found: string[] = []
    for (const name of ends) found.push((await made(s, name, 'x\n')).toString())
    expect(found).toEqual(['x\r\n', 'x\n', 'x\r\n', 'x\n', 'x\n', 'x\n'])
  })
})

describe('the end of a file', () => {
  const after = async (before: string, old_string: string, new_string: string): Promise<string> => {
    const s = open()
    writeFileSync(s.path('a.txt'), before)
    await read(s, 'a.txt')
    const call = await edit(s, 'a.txt', old_string, new_string)
    expect(call.outcome?.is_error).toBe(false)
    const text = readFileSync(s.path('a.txt'), 'utf8')
    s.close()
    return text
  }

  test('has a line break after an edit when it had one before, and only then', async () => {
    expect(await after('one\ntwo\n', 'two', 'x')).toBe('one\nx\n')
    expect(await after('one\ntwo', 'two', 'x')).toBe('one\nx')
    expect(await after('one\ntwo\n', 'two', '')).toBe('one\n')
    expect(await after('one\ntwo', 'two', '')).toBe('one')
    expect(await after('one\r\ntwo', 'two', '')).toBe('one')
    expect(await after('one', 'one', '')).toBe('')
  })
})

test('lines that move up behind a removed one were not seen before', async () => {
  const s = open()
  writeFileSync(s.path('a.txt'), Array.from({ length: 100 }, (_, i) => `line ${i + 1};`).join('\n'))
  await s.one('Read', { file_path: s.path('a.txt'), offset: 45, limit: 10 })
  expect((await edit(s, 'a.txt', 'line 50;', '')).outcome?.is_error).toBe(false)
  expect((await edit(s, 'a.txt', 'line 54;', 'x')).outcome?.is_error).toBe(false)
  expect(codeOf(await edit(s, 'a.txt', 'line 55;', 'x'))).toBe('not_read')
  await s.one('Read', { file_path: s.path('a.txt'), offset: 80, limit: 1 })
  await edit(s, 'a.txt', 'line 81;', '')
  expect(codeOf(await edit(s, 'a.txt', 'line 82;', 'x'))).toBe('not_read')
})

describe('what changed since a file was read', () => {
  const stale = async (before: Buffer, now: Buffer, config = ''): Promise<string> => {
    const s = open()
    project(s, config)
    writeFileSync(s.path('a.ini'), before)
    await read(s, 'a.ini')
    writeFileSync(s.path('a.ini'), now)
    const call = await write(s, 'a.ini', 'x')
    expect(codeOf(call)).toBe('stale')
    return textOf(call).split('What changed:\n')[1] ?? '(nothing)'
  }

  test('is shown in the charset that the project names', async () => {
    // These bytes are as good Chinese as they are French.
    const config = '[*.ini]\ncharset = latin1\n'
    const text = await stale(latin('\u00c4\u00e9\u00d6\u00d0\n'), latin('\u00c4\u00e9\u00d6\u00e9\n'), config)
    expect(text).toMatch(/-\u00c4\u00e9\u00d6\u00d0\n\+\u00c4\u00e9\u00d6\u00e9$/)
    expect(text).not.toContain('charset:')
  })

  test('is shown in forty lines at most', async () => {
    const lines = (mark: string): Buffer =>
      Buffer.from(Array.from({ length: 60 }, (_, n) => `${mark} ${n}\n`).join(''))
    const text = (await stale(lines('old'), lines('new'))).split('\n')
    expect(text).toHaveLength(41)
    expect(text.at(-1)).toMatch(/^… \d+ more lines$/)
  })

  test('is shown where the text is the same: another charset, mark or line ends', async () => {
    const french = 'Les élèves français étaient très fâchés\n'
    expect(await stale(latin(french), Buffer.from(french))).toBe('charset: windows-1252, now utf-8')
    expect(await stale(Buffer.from(french), Buffer.from(`\ufeff${french}`))).toBe(
      'byte order mark: no, now yes',
    )
    expect(await stale(Buffer.from('a\n'), Buffer.from('a\r\n'))).toBe('line ends: lf, now crlf')
  })
})
