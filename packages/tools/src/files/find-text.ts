/**
 * Finds a text in another in time that grows with the two lengths. The search of the language takes their product where
 * both repeat themselves, and strangers choose both.
 */

/** Up to this length the search of the language is faster, whatever the texts are. */
const SHORT = 32

/** Start offsets of `wanted`, without overlaps; none for an empty text. */
export function* findText(text: string, wanted: string): Generator<number> {
  if (wanted === '') return
  if (wanted.length > SHORT) yield* findLong(text, wanted)
  else for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) yield at
}

/** Knuth, Morris, Pratt: no character is looked at more than twice. */
function* findLong(text: string, wanted: string): Generator<number> {
  const borders = bordersOf(wanted)
  let matched = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    while (matched > 0 && char !== wanted.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
    if (char === wanted.charCodeAt(matched)) matched++
    if (matched < wanted.length) continue
    yield i - wanted.length + 1
    matched = 0
  }
}

/** For each beginning of the text, how many of its first characters are its last ones too. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length)
  let matched = 0
  for (let i = 1; i < text.length; i++) {
    const char = text.charCodeAt(i)
    while (matched > 0 && char !== text.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
    if (char === text.charCodeAt(matched)) matched++
    borders[i] = matched
  }
  return borders
}
