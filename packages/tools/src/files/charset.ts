/** Detects the charset of a file and decodes it. Every supported charset has exact offsets (byte-offsets.ts). */
import chardet from 'chardet'
import iconv from 'iconv-lite'
import { charsetNamed } from './charset-name.ts'
import { decodeWide, wideCharset } from './wide-charset.ts'

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
/** The detector's answers for charsets that differ from these only by characters that it did not meet. */
const WIDER: Readonly<Record<string, string>> = {
  'iso-8859-1': 'windows-1252',
  'iso-8859-7': 'windows-1253',
  'iso-8859-8': 'windows-1255',
  'iso-8859-9': 'windows-1254',
}
const SAMPLE = 64 * 1024

/**
 * `preferred` is the project's setting for files without a mark that are not UTF-8; it is ignored if it names
 * UTF-8 or is unknown. `isCut`: the file continues after these bytes.
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
  const wide = wideCharset(name)
  // By character, so that text and positions come from the same reading of the bytes.
  return wide ? decodeWide(wide, body) : iconv.decode(Buffer.from(body), name, { stripBOM: false })
}

/** Undefined when the charset has no form for a character of the text. */
export function encode(text: string, { name }: Charset): Uint8Array | undefined {
  const bytes = name === 'utf-8' ? Buffer.from(text) : iconv.encode(text, name, { addBOM: false })
  return decode(bytes, { name, bom: 0 }) === text ? bytes : undefined
}

/**
 * True if a text for this file holds the replacement character of invalid bytes: writing it would replace them. In
 * a UTF-8 file it is an ordinary character.
 */
export const isStandIn = (text: string, file: Uint8Array): boolean => text.includes('\ufffd') && !isUtf8(file)
