/**
 * Which charset a file is in, and where each character begins in bytes. Positions are exact
 * for every charset offered here, so an edit can replace bytes and leave all others alone.
 */
import chardet from 'chardet'
import iconv from 'iconv-lite'
import { charsetNamed } from './charset-name.ts'

export interface Charset {
  /** The usual name, as people know it. */
  readonly name: string
  /** Length of the byte order mark that the file begins with. */
  readonly bom: number
}

const BOMS: readonly (readonly [string, readonly number[]])[] = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

/** Charsets beyond ASCII and Unicode that are guessed; anything else the guesser says is taken as windows-1252. */
export const GUESSED = [
  'gb18030',
  'shift_jis',
  'big5',
  'euc-kr',
  'euc-jp',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'iso-8859-2',
  'iso-8859-5',
  'koi8-r',
]
/** What the guesser says of charsets that differ from these by characters it did not meet. */
const WIDER: Readonly<Record<string, string>> = {
  'iso-8859-1': 'windows-1252',
  'iso-8859-7': 'windows-1253',
  'iso-8859-8': 'windows-1255',
  'iso-8859-9': 'windows-1254',
}
const SAMPLE = 64 * 1024

/**
 * `preferred` is what the project says of files without a mark that are not UTF-8; it is passed over when it says
 * UTF-8 all the same, or names nothing known. `isCut`: the file goes on behind these bytes.
 */
export function detectCharset(bytes: Uint8Array, preferred?: string, isCut = false): Charset {
  for (const [name, mark] of BOMS)
    if (mark.every((byte, i) => bytes[i] === byte)) return { name, bom: mark.length }
  if (isUtf8(bytes, isCut)) return { name: 'utf-8', bom: 0 }
  const wide = guessWide(bytes)
  if (wide) return { name: wide, bom: 0 }
  const named = preferred === undefined ? undefined : charsetNamed(preferred)
  return { name: named === undefined || named === 'utf-8' ? guess(bytes) : named, bom: 0 }
}

/** Strict: a single wrong byte is another charset. `isCut`: the last character may be cut. */
export function isUtf8(bytes: Uint8Array, isCut = false): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
    return true
  } catch {
    return false
  }
}

/** UTF-16 without a mark shows itself by the zero bytes of its Latin letters. */
function guessWide(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, 4096)
  if (sample.length < 4 || sample.length % 2 !== 0) return undefined
  let even = 0
  let odd = 0
  for (let i = 0; i < sample.length; i++) if (sample[i] === 0) i % 2 === 0 ? even++ : odd++
  const share = sample.length / 2
  if (odd / share > 0.4 && even / share < 0.05) return 'utf-16le'
  return even / share > 0.4 && odd / share < 0.05 ? 'utf-16be' : undefined
}

function guess(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, SAMPLE)
  if (isMostlyUtf8(sample)) return 'utf-8'
  const found = chardet.detect(sample)?.toLowerCase() ?? ''
  const name = WIDER[found] ?? found
  return GUESSED.includes(name) ? name : 'windows-1252'
}

/** Of the characters beyond ASCII four in five are right; in other charsets hardly any happens to be. */
function isMostlyUtf8(sample: Uint8Array): boolean {
  const foreign = new TextDecoder().decode(sample).replaceAll(/\p{ASCII}/gu, '')
  const wrong = foreign.split('\ufffd').length - 1
  return foreign.length >= wrong * 5
}

/** Text of a whole file, mark excluded. Never fails: bytes that are no character become U+FFFD. */
export function decode(bytes: Uint8Array, { name, bom }: Charset): string {
  const body = bytes.subarray(bom)
  if (name === 'utf-8') return new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  const width = widthOf(name)
  if (!width) return iconv.decode(Buffer.from(body), name, { stripBOM: false })
  // By character, so that text and positions come from the same reading of the bytes.
  let text = ''
  for (let at = 0; at < body.length; ) {
    const size = width(body, at)
    text += iconv.decode(Buffer.from(body.subarray(at, at + size)), name, { stripBOM: false })
    at += size
  }
  return text
}

/** Undefined when the charset has no form for a character of the text. */
export function encode(text: string, { name }: Charset): Uint8Array | undefined {
  const bytes = name === 'utf-8' ? Buffer.from(text) : iconv.encode(text, name, { addBOM: false })
  return decode(bytes, { name, bom: 0 }) === text ? bytes : undefined
}

/**
 * Whether a text for this file holds the sign that stands for bytes that are no character: it was read from there, and
 * writing it would replace them. In a file that is UTF-8 it is a character like any other.
 */
export const isStandIn = (text: string, file: Uint8Array): boolean => text.includes('\ufffd') && !isUtf8(file)

/** Where the character at `index` of the decoded text begins, counted from the start of the file. */
export function byteOffset(bytes: Uint8Array, charset: Charset, text: string, index: number): number {
  const { name, bom } = charset
  switch (name) {
    case 'utf-8': {
      const head = text.slice(0, index)
      // Wrong bytes have other lengths than the sign that stands for them.
      return (
        bom + (head.includes('\ufffd') ? utf8Offset(bytes.subarray(bom), index) : Buffer.byteLength(head))
      )
    }
    case 'utf-16le':
    case 'utf-16be':
      return bom + index * 2
    case 'utf-32le':
    case 'utf-32be':
      return bom + [...text.slice(0, index)].length * 4
    default:
      return bom + scanOffset(bytes.subarray(bom), name, index)
  }
}

function scanOffset(body: Uint8Array, name: string, index: number): number {
  const width = widthOf(name)
  if (!width) return index
  let at = 0
  for (let seen = 0; seen < index && at < body.length; ) {
    const size = width(body, at)
    seen +=
      size === 1
        ? 1
        : iconv.decode(Buffer.from(body.subarray(at, at + size)), name, { stripBOM: false }).length
    at += size
  }
  return at
}

function utf8Offset(body: Uint8Array, index: number): number {
  let at = 0
  for (let seen = 0; seen < index && at < body.length; ) {
    const size = utf8Width(body, at)
    seen += size === 4 ? 2 : 1
    at += size
  }
  return at
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

/** Of a character, or of as many bytes as a decoder takes for one that is broken off. */
function utf8Width(bytes: Uint8Array, at: number): number {
  const form = UTF8_FORMS.find(([low, high]) => between(bytes[at], low, high))
  if (!form) return 1
  const [, , low, high, length] = form
  if (!between(bytes[at + 1], low, high)) return 1
  let size = 2
  while (size < length && between(bytes[at + size], 0x80, 0xbf)) size++
  return size
}

type Width = (bytes: Uint8Array, at: number) => number
const between = (byte: number | undefined, low: number, high: number): boolean =>
  byte !== undefined && byte >= low && byte <= high

/** How many bytes the character at `at` has; undefined for charsets of one byte per character. */
function widthOf(name: string): Width | undefined {
  switch (name) {
    case 'shift_jis':
      return (b, at) => (between(b[at], 0x81, 0x9f) || between(b[at], 0xe0, 0xfc) ? pair(b, at, 0x40) : 1)
    case 'gb18030':
    case 'gbk':
    case 'gb2312':
      return (b, at) => {
        if (!between(b[at], 0x81, 0xfe)) return 1
        return between(b[at + 1], 0x30, 0x39) && between(b[at + 3], 0x30, 0x39) ? 4 : pair(b, at, 0x40)
      }
    case 'big5':
      return (b, at) => (between(b[at], 0x81, 0xfe) ? pair(b, at, 0x40) : 1)
    case 'euc-kr':
      return (b, at) => (between(b[at], 0x81, 0xfe) ? pair(b, at, 0x41) : 1)
    case 'euc-jp':
      return (b, at) => {
        if (b[at] === 0x8f) return between(b[at + 1], 0xa1, 0xfe) && between(b[at + 2], 0xa1, 0xfe) ? 3 : 1
        return between(b[at], 0xa1, 0xfe) || b[at] === 0x8e ? pair(b, at, 0xa1) : 1
      }
    default:
      return undefined
  }
}

const pair = (bytes: Uint8Array, at: number, low: number): number =>
  between(bytes[at + 1], low, 0xfe) ? 2 : 1
