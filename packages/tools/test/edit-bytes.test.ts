import fc from 'fast-check'
import iconv from 'iconv-lite'
import { describe, expect, test } from 'vitest'
import { createByteOffsets } from '../src/files/byte-offsets.ts'
import { decode, detectCharset, encode } from '../src/files/charset.ts'
import { planEdit } from '../src/files/plan-edit.ts'
import { readText } from '../src/files/text-file.ts'

/** Letters each charset can hold, and enough of them that it is recognised. */
const CHARSETS = {
  'utf-8': { letters: 'aé漢😀ß', anchor: 'plain ascii', bom: [] },
  'utf-8 with mark': { name: 'utf-8', letters: 'aé漢😀ß', anchor: 'x', bom: [0xef, 0xbb, 0xbf] },
  'utf-16le': { letters: 'aé漢😀ß', anchor: 'x', bom: [0xff, 0xfe] },
  'utf-16be': { letters: 'aé漢😀ß', anchor: 'x', bom: [0xfe, 0xff] },
  'utf-32le': { letters: 'aé漢😀ß', anchor: 'x', bom: [0xff, 0xfe, 0, 0] },
  gb18030: {
    letters: 'a中文字符编码测试𠮷',
    anchor: '这是一个用于测试编码识别的中文文件，里面有很多常用的汉字。我们希望它能够被正确识别。',
    bom: [],
  },
  shift_jis: {
    letters: 'aあいう漢字テスト熙瑤',
    anchor: 'これは文字コードの判定を試すための日本語のファイルです。ひらがなとカタカナと漢字があります。',
    bom: [],
  },
  'windows-1252': {
    letters: 'aéèüößñç',
    anchor: 'Les élèves français étaient très fâchés à cause du café; où était-il? Größe, Übung, Straße.',
    bom: [],
  },
} as const

const bytesOf = (text: string, name: string, bom: readonly number[]): Buffer =>
  Buffer.concat([Buffer.from(bom), iconv.encode(text, name, { addBOM: false })])

describe.each(Object.entries(CHARSETS))('editing a file in %s', (label, parts) => {
  const name = 'name' in parts ? parts.name : label
  const word = fc
    .array(fc.constantFrom(...parts.letters), { minLength: 0, maxLength: 8 })
    .map(letters => letters.join(''))
  const eol = fc.constantFrom('\n', '\r\n')
  const lines = fc.array(fc.tuple(word, eol), { minLength: 1, maxLength: 12 })

  test('the charset is recognised and read back without loss', () => {
    const text = `${parts.anchor}\r\n${parts.letters}\n`
    const bytes = bytesOf(text, name, parts.bom)
    const charset = detectCharset(bytes)
    expect([charset.name, charset.bom]).toEqual([name, parts.bom.length])
    expect(decode(bytes, charset)).toBe(text)
  })

  test('every position of the text leads to the byte where its character begins', () => {
    fc.assert(
      fc.property(lines, content => {
        const text = parts.anchor + content.map(([line, end]) => line + end).join('')
        const bytes = bytesOf(text, name, parts.bom)
        const charset = detectCharset(bytes)
        const offsets = createByteOffsets(bytes, charset, text)
        for (let i = 0; i <= text.length; i++) {
          if (/[\udc00-\udfff]/.test(text[i] ?? '')) continue
          const before = bytesOf(text.slice(0, i), name, parts.bom).length
          expect(offsets(i)).toBe(before)
          expect(createByteOffsets(bytes, charset, text)(i)).toBe(before)
        }
      }),
      { numRuns: 40 },
    )
  })

  test('every byte outside the replaced text stays as it was', () => {
    fc.assert(
      fc.property(lines, lines, word, eol, (head, tail, replacement, end) => {
        const join = (content: readonly (readonly [string, string])[]): string =>
          content.map(([line, stop]) => line + stop).join('')
        const before = `${parts.anchor}${end}${join(head)}`
        const after = `${end}${join(tail)}`
        const bytes = bytesOf(`${before}<<target>>${after}`, name, parts.bom)
        const plan = planEdit(bytes, {
          old_string: '<<target>>',
          new_string: `[${replacement}]`,
          replace_all: false,
        })
        if (!plan.ok) throw new Error(plan.problem.message)
        expect(
          Buffer.compare(
            Buffer.from(plan.edit.after),
            bytesOf(`${before}[${replacement}]${after}`, name, parts.bom),
          ),
        ).toBe(0)
      }),
      { numRuns: 60 },
    )
  })

  test('inserted lines take the line ends of the lines around them', () => {
    const text = `${parts.anchor}\r\none\r\ntwo\r\n`
    const plan = planEdit(bytesOf(text, name, parts.bom), {
      old_string: 'one\ntwo',
      new_string: '1\n2\n3',
      replace_all: false,
    })
    if (!plan.ok) throw new Error(plan.problem.message)
    expect(decode(plan.edit.after, detectCharset(plan.edit.after))).toBe(`${parts.anchor}\r\n1\r\n2\r\n3\r\n`)
  })
})

describe('a file with mixed line ends', () => {
  test('stays mixed everywhere but in the edited lines', () => {
    const plan = planEdit(Buffer.from('a\r\nb\nc\r\nd\n'), {
      old_string: 'c',
      new_string: 'x\ny',
      replace_all: false,
    })
    expect(plan.ok && Buffer.from(plan.edit.after).toString()).toBe('a\r\nb\nx\r\ny\r\nd\n')
  })

  test('positions of its LF view lead to the right bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '\n', '\r\n', '\r', '漢'), { maxLength: 40 }), pieces => {
        const bytes = Buffer.from(pieces.join(''))
        const { view, toByte } = readText(bytes)
        for (let i = 0; i <= view.length; i++) {
          const back = bytes.subarray(0, toByte(i)).toString()
          expect(back.replaceAll('\r\n', '\n')).toBe(view.slice(0, i))
        }
      }),
    )
  })
})

describe('charsets', () => {
  test('text that the charset cannot hold is refused, never written as question marks', () => {
    const bytes = bytesOf(CHARSETS['windows-1252'].anchor, 'windows-1252', [])
    const plan = planEdit(bytes, { old_string: 'café', new_string: '漢字', replace_all: false })
    expect(plan.ok ? 'ok' : plan.problem.code).toBe('not_encodable')
    expect(encode('漢', { name: 'windows-1252', bom: 0 })).toBeUndefined()
  })

  test('bytes that are no character of the charset survive an edit elsewhere', () => {
    const broken = Buffer.concat([
      bytesOf(CHARSETS.shift_jis.anchor, 'shift_jis', []),
      Buffer.from([0x81, 0x0a, 0xfd, 0x0a]),
      Buffer.from('target\n'),
    ])
    const plan = planEdit(broken, { old_string: 'target', new_string: 'done', replace_all: false })
    const expected = Buffer.concat([broken.subarray(0, broken.length - 7), Buffer.from('done\n')])
    expect(plan.ok && Buffer.compare(Buffer.from(plan.edit.after), expected)).toBe(0)
  })
})
