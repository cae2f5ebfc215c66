import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ApprovalView, applyRecords, createTranslate, emptyView, LOCALES } from '../../src/view/index.ts'
import {
  answerText,
  approvalMessage,
  choicesOf,
  countLines,
  countNames,
  fileNameOf,
  flatRows,
  imageAddress,
  isActive,
  isLarge,
  isOpenByState,
  jsonText,
  linkAddress,
  namesHost,
  prettyJson,
  ruleTimes,
  ruleTtl,
  shortLine,
  shortText,
  sourceAddress,
  statCells,
  textEnds,
} from '../../src/view/parts/index.ts'
import { STRINGS } from '../../src/view/strings/index.ts'
import { Script } from './script.ts'

const fold = (script: Script) => applyRecords(emptyView(), script.records)
const opened = () => new Script().created().ask('hi').turn('m1')

describe('addresses that a model or a tool wrote', () => {
  it('are followed only to the web and to mail, with the host shown', () => {
    expect(linkAddress('https://example.com/a?b')).toEqual({
      href: 'https://example.com/a?b',
      host: 'example.com',
    })
    expect(linkAddress('mailto:a@b.c')).toEqual({ href: 'mailto:a@b.c', host: 'a@b.c' })
    for (const href of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', '/relative', ''])
      expect(linkAddress(href)).toBeUndefined()
  })

  it('a text that merely contains the host of its link does not name it', () => {
    expect(namesHost('pal.co', 'pal.co')).toBe(true)
    expect(namesHost('https://pal.co/a', 'pal.co')).toBe(true)
    expect(namesHost('https://paypal.com/a', 'pal.co')).toBe(false)
    expect(namesHost('paypal.com', 'pal.co')).toBe(false)
    expect(namesHost('see https://pal.co and https://paypal.com', 'pal.co')).toBe(false)
  })

  it('are images only as bytes in the log, or from a host that is named first', () => {
    expect(imageAddress('data:image/png;base64,AA')).toEqual({
      type: 'inline',
      src: 'data:image/png;base64,AA',
    })
    expect(imageAddress('https://p.example/x.png')).toMatchObject({ type: 'remote', host: 'p.example' })
    const uploaded = sourceAddress({ type: 'file', file_id: 'file_a1' })
    expect(imageAddress(uploaded)).toEqual({
      type: 'stored',
      src: '/api/files/file_a1/content?disposition=inline',
      file_id: 'file_a1',
    })
    const paths = [
      '/api/files/../keys/content?disposition=inline',
      '//h/api/files/file_a/content?disposition=inline',
    ]
    for (const src of ['data:image/svg+xml;base64,AA', 'javascript:1', 'x.png', '', ...paths])
      expect(imageAddress(src)).toEqual({ type: 'refused' })
    expect(sourceAddress({ type: 'base64', media_type: 'image/png', data: 'AA' })).toBe(
      'data:image/png;base64,AA',
    )
  })
})

describe('lines that a browser can lay out', () => {
  it('are cut where they are too wide, and at most forty; their ends stay, and what is left out is counted', () => {
    const wide = `${'x'.repeat(2500)}; rm -rf /`
    expect(shortLine(wide)).toBe(`${'x'.repeat(700)} ⟨…1510…⟩ ${'x'.repeat(290)}; rm -rf /`)
    for (const line of ['😀'.repeat(600), `a${'😀'.repeat(600)}`]) {
      expect(shortLine(line).isWellFormed()).toBe(true)
      const [, head = '', count, tail = ''] = /^(.*) ⟨…(\d+)…⟩ (.*)$/u.exec(shortLine(line)) ?? []
      expect(head.length + Number(count) + tail.length).toBe(line.length)
    }
    const lines = Array.from({ length: 50 }, (_, n) => `line ${n}`)
    expect(shortText(lines.join('\n')).split('\n')).toEqual([
      ...lines.slice(0, 30),
      '⟨…10…⟩',
      ...lines.slice(40),
    ])
  })

  it('are the first and the last ones of any text, and as many between them as there are', () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom('a', '\n'), maxLength: 6 }), { maxLength: 20 })
    fc.assert(
      fc.property(texts, fc.nat(6), fc.nat(6), fc.nat(3), (pieces, head, tail, spare) => {
        const text = pieces.join('')
        const all = text.replace(/\n$/, '').split('\n')
        expect(countLines(text)).toBe(all.length)
        const ends = textEnds(text, { head, tail, spare })
        const few = all.length <= head + tail + spare
        expect(ends).toEqual({
          head: few ? all : all.slice(0, head),
          tail: few || tail === 0 ? [] : all.slice(-tail),
          hidden: few ? 0 : all.length - head - tail,
          wide: false,
        })
      }),
    )
    const wide = textEnds(`a\n${'x'.repeat(2000)}\nb\nc`, { head: 2, tail: 1 })
    expect(wide).toMatchObject({ wide: true, hidden: 1, tail: ['c'] })
    expect(wide.head[1]).toBe(`${'x'.repeat(700)} ⟨…1000…⟩ ${'x'.repeat(300)}`)
  })

  it('are never taken out of the middle of a long text', () => {
    const split = new Error('the whole text was taken apart')
    const text = Object.assign(Object(`${'line\n'.repeat(100_000)}end`), {
      split: () => {
        throw split
      },
      replace: () => {
        throw split
      },
    }) as string
    expect(textEnds(text, { head: 2, tail: 2 })).toEqual({
      head: ['line', 'line'],
      tail: ['line', 'end'],
      hidden: 99_997,
      wide: false,
    })
    expect(shortText(text).split('\n')).toHaveLength(41)
  })

  it('are saved under a name that every file system takes', () => {
    expect(fileNameOf('../a b:c')).toBe('..-a-b-c.txt')
    expect(fileNameOf('')).toBe('output.txt')
  })
})

describe('a value as JSON', () => {
  it('is written out as it is when it is small', () => {
    for (const value of [{ a: [1, { b: null }], c: 'text' }, [], {}, 'x', 1, null])
      expect(jsonText(value)).toEqual({ text: JSON.stringify(value, null, 2) })
    expect(jsonText(undefined)).toEqual({ text: '' })
  })

  it.each([
    ['one long text', { path: 'a.txt', content: 'x'.repeat(1_000_000) }],
    ['many values', { rows: Array.from({ length: 50_000 }, (_, n) => ({ n })) }],
    ['many names', Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`name ${n}`, n]))],
    ['long names', { ['x'.repeat(100_000)]: 'y'.repeat(100_000) }],
    ['deep lists', Array.from({ length: 200 }).reduce(inner => [inner, 'z'.repeat(1000)], 'end' as unknown)],
  ])('is written out only at its beginning when it has %s, until all of it is asked for', (_, value) => {
    const { text, whole } = jsonText(value)
    expect(text.length).toBeLessThan(20_000)
    expect(text.length).toBeGreaterThan(10)
    expect(whole?.()).toBe(JSON.stringify(value, null, 2))
  })

  it('is looked at only until it is known to be large', () => {
    let looked = 0
    const rows = new Proxy(new Array(1_000_000).fill('text'), {
      get(target, key) {
        looked += 1
        return Reflect.get(target, key)
      },
    })
    expect(isLarge({ rows })).toBe(true)
    expect(looked).toBeLessThan(10_000)
    expect(isLarge({ rows: rows.slice(0, 100) })).toBe(false)
  })
})

describe('cards', () => {
  it('are open by default when they wait for the user, at any density', () => {
    for (const density of ['compact', 'normal', 'everything'] as const) {
      expect(isOpenByState('awaiting_approval', density)).toBe(true)
      expect(isOpenByState('awaiting_client', density)).toBe(true)
      expect(isOpenByState('success', density)).toBe(density === 'everything')
    }
    expect(isOpenByState('executing', 'normal')).toBe(true)
    expect(isOpenByState('executing', 'compact')).toBe(false)
  })

  it('show short simple objects as a table and nothing else', () => {
    expect(flatRows({ a: 1, b: 'x', c: null })).toEqual([
      ['a', '1'],
      ['b', 'x'],
      ['c', 'null'],
    ])
    for (const value of [{}, [1], { a: {} }, { a: 'x'.repeat(301) }, 'text', null])
      expect(flatRows(value)).toBeUndefined()
  })

  it('name their calls once each, with a count', () => {
    const script = opened().call('m1', 0, 'a', { name: 'Grep' }).call('m1', 1, 'b').call('m1', 2, 'c')
    expect(countNames([...fold(script).calls.values()])).toBe('Grep, Bash ×2')
  })

  it('offer the choices of a question that have a name', () => {
    const options = ['left', { label: 'Right', value: 2, description: 'East' }, { label: 'Up' }, 7, null]
    expect(choicesOf({ options } as unknown as ApprovalView)).toEqual([
      { label: 'left', description: '', value: 'left' },
      { label: 'Right', description: 'East', value: 2 },
      { label: 'Up', description: '', value: 'Up' },
    ])
  })

  it('say why a call asks in the reader’s language, and the server’s sentence where the reason is not known', () => {
    const message = 'src/a.ts is outside the workspace.'
    const asked = (why: unknown) => ({ message, details: { why } }) as unknown as ApprovalView
    const chinese = createTranslate(STRINGS['zh-Hans'])
    const outside = { code: 'outside', params: { path: 'src/a.ts' } }
    expect(approvalMessage(asked(outside), chinese)).toBe('src/a.ts 在工作区之外。')
    expect(approvalMessage(asked(outside), createTranslate())).toBe(message)
    for (const why of [
      undefined,
      { code: 'outside' },
      { code: 'toString', params: {} },
      { code: 'new', params: {} },
    ])
      expect(approvalMessage(asked(why), chinese)).toBe(message)
    expect(approvalMessage({} as ApprovalView, chinese)).toBe('')
  })

  it('leave arguments that are no JSON as they are', () => {
    expect(prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}')
    expect(prettyJson('{"a":')).toBe('{"a":')
  })
})

describe('an exchange', () => {
  it('is copied as what the assistant wrote, without thinking and calls', () => {
    const script = opened().text('m1', 0, ['One', '.']).call('m1', 1, 'c1').text('m1', 2, ['Two.'])
    expect(answerText(fold(script), ['in_r1', 'm1', 'gone'])).toBe('One.\n\nTwo.')
  })

  it('moves while text arrives or a call is open', () => {
    const script = opened()
    expect(isActive(fold(script))).toBe(false)
    script.add('block.started', { message_id: 'm1', block_id: 'b', index: 0, run_index: 0, kind: 'text' })
    expect(isActive(fold(script))).toBe(false)
    script.add('block.delta', { block_id: 'b', offset: 0, text: 'x' })
    expect(isActive(fold(script))).toBe(true)
    script.add('block.completed', { block_id: 'b', text: 'x' })
    expect(isActive(fold(script))).toBe(false)
    expect(isActive(fold(script.call('m1', 1, 'c1')))).toBe(true)
  })

  it('shows an unknown cost as such, and a partly known one as a lower bound', () => {
    const cost = (script: Script) => statCells(fold(script).stats, createTranslate())[0]
    expect(cost(opened().endTurn('m1'))).toMatchObject({ value: '—', hint: 'Price unknown' })
    expect(cost(opened().endTurn('m1', 0.5))).toEqual({ name: 'cost', label: 'Cost', value: '$0.5000' })
    expect(cost(opened().endTurn('m1', 0))?.name).toBe('tokens-in')
    const both = opened().endTurn('m1', 0.5).turn('m2', 1).endTurn('m2')
    expect(cost(both)?.value).toBe('at least $0.5000')
  })
})

describe('for how long a rule is given', () => {
  it('has words for every choice in every language', () => {
    for (const locale of LOCALES) {
      const { label, choices } = ruleTimes(locale)
      expect(choices.map(({ value }) => value)).toEqual(['always', 'today', 'hour'])
      expect(new Set([label, ...choices.map(({ words }) => words)]).size).toBe(4)
    }
  })

  it('is an hour, or what is left of the reader\u2019s day, or no limit at all', () => {
    const evening = new Date(2026, 2, 31, 23, 59, 30)
    expect(ruleTtl('always', evening)).toEqual({})
    expect(ruleTtl('hour', evening)).toEqual({ rule_ttl_s: 3600 })
    expect(ruleTtl('today', evening)).toEqual({ rule_ttl_s: 30 })
    expect(ruleTtl('today', new Date(2026, 2, 31, 23, 59, 59, 999))).toEqual({ rule_ttl_s: 1 })
    expect(ruleTtl('today', new Date(2026, 0, 15, 0, 0, 0))).toEqual({ rule_ttl_s: 86_400 })
  })
})
