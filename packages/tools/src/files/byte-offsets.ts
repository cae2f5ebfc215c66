/**
 * The byte offset of each character of a decoded file. Offsets are exact for every supported charset, so an edit
 * can replace bytes and leave all others alone. Moving forward costs the distance between two positions.
 */
import type { Charset } from './charset.ts'
import { between, type WideCharset, wideCharset } from './wide-charset.ts'

/** A position of the text with the byte that it begins at. */
interface Position {
  readonly index: number
  readonly at: number
}

/** Goes from a position to the first one that is not before `index`. */
type Advance = (from: Position, index: number) => Position

const START: Position = { index: 0, at: 0 }

/** `text` is all of the file, decoded. The byte is counted from the start of the file. */
export function createByteOffsets(
  bytes: Uint8Array,
  { name, bom }: Charset,
  text: string,
): (index: number) => number {
  const body = bytes.subarray(bom)
  const advance = advanceIn(name, body, text)
  let known = START
  return index => {
    const found = advance(index < known.index ? START : known, index)
    if (found.index === index && !isInsidePair(text, index)) known = found
    return bom + found.at
  }
}

const isInsidePair = (text: string, index: number): boolean =>
  /[\udc00-\udfff]/.test(text[index] ?? '') && /[\ud800-\udbff]/.test(text[index - 1] ?? '')

function advanceIn(name: string, body: Uint8Array, text: string): Advance {
  switch (name) {
    case 'utf-8':
      return (from, index) => {
        const between = text.slice(from.index, index)
        // Invalid bytes have other lengths than their replacement character.
        if (between.includes('\ufffd')) return scan(body, from, index, utf8Character)
        return { index, at: from.at + Buffer.byteLength(between) }
      }
    case 'utf-16le':
    case 'utf-16be':
      return (_, index) => ({ index, at: index * 2 })
    case 'utf-32le':
    case 'utf-32be':
      return (from, index) => ({ index, at: from.at + [...text.slice(from.index, index)].length * 4 })
    default: {
      const wide = wideCharset(name)
      if (!wide) return (_, index) => ({ index, at: index })
      return (from, index) => scan(body, from, index, wideCharacter(wide))
    }
  }
}

/** Bytes and units of the text that one character takes. */
type Measure = (body: Uint8Array, at: number) => { readonly size: number; readonly units: number }

function scan(body: Uint8Array, from: Position, index: number, measure: Measure): Position {
  let { index: seen, at } = from
  while (seen < index && at < body.length) {
    const { size, units } = measure(body, at)
    seen += units
    at += size
  }
  return { index: seen, at }
}

const wideCharacter =
  (wide: WideCharset): Measure =>
  (body, at) => {
    const size = wide.width(body, at)
    return { size, units: size === 1 ? 1 : wide.character(body, at, size).length }
  }

const utf8Character: Measure = (body, at) => {
  const size = utf8Width(body, at)
  return { size, units: size === 4 ? 2 : 1 }
}

/** Characters of several bytes: first and last lead byte, first and last second byte, length. */
const UTF8_FORMS: readonly (readonly [number, number, number, number, number])[] = [
  [0xc2, 0xdf, 0x80, 0xbf, 2],
  [0xe0, 0xe0, 0xa0, 0xbf, 3],
  [0xe1, 0xec, 0x80, 0xbf, 3],
  [0xed, 0xed, 0x80, 0x9f, 3],
  [0xee, 0xef, 0x80, 0xbf, 3],
  [0xf0, 0xf0, 0x90, 0xbf, 4],
  [0xf1, 0xf3, 0x80, 0xbf, 4],
  [0xf4, 0xf4, 0x80, 0x8f, 4],
]

/** The width of a character, or of the bytes that a decoder takes for one truncated character. */
function utf8Width(bytes: Uint8Array, at: number): number {
  const form = UTF8_FORMS.find(([low, high]) => between(bytes[at], low, high))
  if (!form) return 1
  const [, , low, high, length] = form
  if (!between(bytes[at + 1], low, high)) return 1
  let size = 2
  while (size < length && between(bytes[at + size], 0x80, 0xbf)) size++
  return size
}
