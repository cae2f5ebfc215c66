/**
 * Converts text to search terms, the same for every store: lower-case words and, for scripts without spaces,
 * overlapping pairs of characters, so that a word of two Chinese characters is found inside any sentence. Terms
 * hold letters, digits and marks only. No imports: it also runs inside the writer thread.
 */
const WORDS = /[\p{L}\p{N}\p{M}]+/gu
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/gu
const LONGEST = 64

/** Terms of a text in order. A run of unspaced script ends in its last single character, so that it can be found alone. */
export function toTerms(text: string): readonly string[] {
  const terms: string[] = []
  for (const segment of toSegments(text)) {
    if (!segment.unspaced) terms.push(segment.word)
    else terms.push(...toPairs(segment.word), Array.from(segment.word).at(-1) ?? '')
  }
  return terms
}

/**
 * A query as phrases that must all occur: the terms of a phrase follow each other, and the
 * last one may be the beginning of a longer term. Empty when the query holds no word.
 */
export function toPhrases(query: string): readonly (readonly string[])[] {
  return toSegments(query).map(({ word, unspaced }) => {
    const pairs = unspaced ? toPairs(word) : []
    return pairs.length > 0 ? pairs : [word]
  })
}

/** True if the phrase occurs in the terms of one text. */
export function hasPhrase(terms: readonly string[], phrase: readonly string[]): boolean {
  const last = phrase.length - 1
  return terms.some((_, at) =>
    phrase.every((term, i) =>
      i === last ? terms[at + i]?.startsWith(term) === true : terms[at + i] === term,
    ),
  )
}

interface Segment {
  readonly word: string
  readonly unspaced: boolean
}

function toSegments(text: string): readonly Segment[] {
  const segments: Segment[] = []
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(WORDS)) {
    let from = 0
    for (const run of word.matchAll(UNSPACED)) {
      if (run.index > from) segments.push(spaced(word.slice(from, run.index)))
      segments.push({ word: run[0], unspaced: true })
      from = run.index + run[0].length
    }
    if (from < word.length) segments.push(spaced(word.slice(from)))
  }
  return segments
}

const spaced = (word: string): Segment => ({ word: word.slice(0, LONGEST), unspaced: false })

function toPairs(run: string): readonly string[] {
  const characters = Array.from(run)
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`)
}
