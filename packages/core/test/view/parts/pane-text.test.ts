/** The pane of a long text: its pieces, and the search in them. */
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LOCALES, stripAnsi } from '../../../src/view/index.ts'
import {
  foundWords,
  marksByPiece,
  paneText,
  partLabels,
  pieceRuns,
  TextSearch,
} from '../../../src/view/parts/index.ts'

const drawn = (text: string, ansi = false) =>
  paneText(text, ansi).pieces.map(piece =>
    pieceRuns(piece)
      .map(run => run.text)
      .join(''),
  )

/** Short lines, empty ones, and some that are too wide for a browser. */
const texts = fc
  .array(fc.oneof(fc.string({ maxLength: 3 }), fc.constant(''), fc.constant('a😀'.repeat(800))), {
    maxLength: 420,
  })
  .map(lines => lines.map(line => line.replaceAll(/[\n\r]/g, '')).join('\n'))

describe('the pieces of a long text', () => {
  it('hold all of it, with breaks only in lines that are too wide, and none of them is large', () => {
    fc.assert(
      fc.property(texts, text => {
        const pane = paneText(text, false)
        const lines = text.replace(/\n$/, '').split('\n')
        expect(pane.lines).toBe(lines.length)
        const shown = drawn(text)
        for (const piece of shown) {
          const rows = piece.split('\n')
          expect(rows.length).toBeLessThanOrEqual(200)
          for (const row of rows) expect(row.length).toBeLessThanOrEqual(1000)
          expect(piece.isWellFormed() || !text.isWellFormed()).toBe(true)
        }
        expect(shown.join('').replaceAll('\n', '')).toBe(lines.join(''))
        if (lines.every(line => line.length <= 1000)) expect(shown.join('\n')).toBe(lines.join('\n'))
      }),
      { numRuns: 40 },
    )
  })

  it('carry the colours of a terminal from one piece into the next', () => {
    const red = `\u001b[31m${'red\n'.repeat(300)}\u001b[0mplain`
    const { pieces, shown } = paneText(red, true)
    expect(shown).toBe(stripAnsi(red))
    expect(pieces.map(piece => piece.spans.map(span => span.fg ?? 'none'))).toEqual([
      ['red'],
      ['red', 'none'],
    ])
    expect(drawn(red, true).join('\n')).toBe(stripAnsi(red))
  })

  it('are one empty piece for an empty text', () => {
    expect(paneText('', false)).toEqual({
      shown: '',
      lines: 1,
      pieces: [{ from: 0, to: 0, breaks: [], spans: [] }],
    })
  })
})

describe('a search in a text', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('finds what a plain search finds, whatever the case, also across slices and wide lines', async () => {
    const places = fc.uniqueArray(fc.nat(200_000), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(places, fc.constantFrom('needle', 'Ne.*dle(', '针', '😀x'), async (at, needle) => {
        const letters = Array.from({ length: 200_000 }, () => '-')
        // Over the borders of slices as well.
        for (const place of [...at, 63_998, 127_999]) letters[place] = needle.toUpperCase()
        const text = letters.join('')
        const search = new TextSearch(text)
        await search.look(needle)
        const expected: number[] = []
        const upper = needle.toUpperCase()
        for (let i = text.indexOf(upper); i >= 0; i = text.indexOf(upper, i + needle.length)) expected.push(i)
        expect(search.getSnapshot()).toEqual({
          wanted: needle,
          matches: expected,
          count: expected.length,
          at: 0,
          searching: false,
        })
      }),
      { numRuns: 15 },
    )
  })

  it('marks exactly the characters that were found, also where a line is broken or a piece ends', async () => {
    const text = `${'a\n'.repeat(150)}${'x'.repeat(995)}needle${'y'.repeat(100_000)}NEEDLE\nb`
    const { pieces, shown } = paneText(text, false)
    const search = new TextSearch(shown)
    await search.look('needle')
    search.go(1)
    const marks = marksByPiece(pieces, search.getSnapshot())
    const runs = pieces.flatMap((piece, index) => pieceRuns(piece, marks.get(index)))
    const marked = runs.filter(run => run.found)
    expect(marked.map(run => [run.text.replace('\n', ''), run.found])).toEqual([
      ['needle', 'match'],
      ['NEEDLE', 'current'],
    ])
    expect(runs.map(run => run.text.replaceAll('\n', '')).join('')).toBe(text.replaceAll('\n', ''))
  })

  it('marks a match in both pieces when it lies over the end of one', async () => {
    const { pieces, shown } = paneText(`${'x'.repeat(199_997)}needle`, false)
    const search = new TextSearch(shown)
    await search.look('needle')
    const marks = marksByPiece(pieces, search.getSnapshot())
    const found = pieces.map((piece, i) => pieceRuns(piece, marks.get(i)).filter(run => run.found))
    expect(found.map(runs => runs.map(run => run.text))).toEqual([['nee'], ['dle']])
  })

  it('continues from the last match to the first and back, and gives the position', async () => {
    const search = new TextSearch('a b a b a')
    const words = () => foundWords(search.getSnapshot())
    expect(words()).toBe('')
    await search.look('a')
    expect(words()).toBe('1/3')
    search.go(-1)
    expect(words()).toBe('3/3')
    search.go(1)
    expect(words()).toBe('1/3')
    await search.look('none')
    expect(words()).toBe('0/0')
    search.go(1)
    expect(words()).toBe('0/0')
    await search.look('')
    expect(words()).toBe('')
  })

  it('lets the page breathe between slices, shows what it has so far, and gives way to a newer search', async () => {
    const pauses: PromiseWithResolvers<void>[] = []
    const pause = () => {
      const one = Promise.withResolvers<void>()
      pauses.push(one)
      return one.promise
    }
    vi.stubGlobal('document', { hidden: false })
    vi.stubGlobal('scheduler', { yield: pause })
    const search = new TextSearch('x'.repeat(1_000_000))
    const seen: number[] = []
    search.subscribe(() => seen.push(search.getSnapshot().count))
    const first = search.look('x')
    expect(search.getSnapshot()).toMatchObject({ count: 64_000, searching: true, at: 0 })
    const second = search.look('y')
    pauses[0]?.resolve()
    await first
    expect(search.getSnapshot()).toMatchObject({ wanted: 'y', count: 0 })
    expect(Math.max(...seen)).toBe(64_000)
    for (let i = 1; search.getSnapshot().searching; i++) {
      pauses[i]?.resolve()
      await Promise.resolve()
      await new Promise(resolve => setImmediate(resolve))
    }
    await second
    expect(pauses.length).toBeGreaterThan(14)
  })

  it('marks no more around the current match than a page can draw', async () => {
    const { pieces, shown } = paneText('x\n'.repeat(50_000), false)
    const search = new TextSearch(shown)
    await search.look('x')
    const starts = [...marksByPiece(pieces, search.getSnapshot()).values()].flatMap(marks => marks.starts)
    expect(search.getSnapshot().count).toBe(50_000)
    expect(starts.length).toBeLessThan(1000)
    expect(starts).toContain(0)
  })
})

describe('the words of the parts', () => {
  it.each(LOCALES)('are all there in %s, and in one script', locale => {
    const words = partLabels({ locale })
    expect(Object.keys(words)).toEqual(Object.keys(partLabels({ locale: 'en' })))
    for (const text of Object.values(words)) expect(text.trim()).not.toBe('')
    if (locale === 'zh-Hans') expect(Object.values(words).join('')).not.toMatch(/[尋個換篩顯為開對沒]/)
    if (locale === 'zh-Hant') expect(Object.values(words).join('')).not.toMatch(/[寻个换筛显为开对没]/)
  })
})
