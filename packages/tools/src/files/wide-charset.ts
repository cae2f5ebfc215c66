/** Charsets whose characters have one byte or several. They are read character by character. */
import iconv from 'iconv-lite'

export interface WideCharset {
  /** Byte width of the character at `at`. */
  readonly width: Width
  /** The character of these bytes as text. */
  readonly character: (bytes: Uint8Array, at: number, size: number) => string
}

/** Undefined for charsets of one byte per character. */
export function wideCharset(name: string): WideCharset | undefined {
  const width = widthOf(name)
  if (!width) return undefined
  // A file of millions of characters has some thousand different ones.
  const known = new Map<number, string>()
  return {
    width,
    character(bytes, at, size) {
      let key = size
      for (let i = at; i < at + size; i++) key = key * 256 + (bytes[i] ?? 0)
      const found = known.get(key)
      if (found !== undefined) return found
      const text = iconv.decode(Buffer.from(bytes.subarray(at, at + size)), name, { stripBOM: false })
      known.set(key, text)
      return text
    },
  }
}

/** No character has more units than bytes. */
export function decodeWide({ width, character }: WideCharset, body: Uint8Array): string {
  const units = new Uint16Array(body.length)
  let length = 0
  for (let at = 0; at < body.length; ) {
    const size = width(body, at)
    const text = character(body, at, size)
    for (let i = 0; i < text.length; i++) units[length++] = text.charCodeAt(i)
    at += size
  }
  return Buffer.from(units.buffer, 0, length * 2).toString('utf16le')
}

type Width = (bytes: Uint8Array, at: number) => number
export const between = (byte: number | undefined, low: number, high: number): boolean =>
  byte !== undefined && byte >= low && byte <= high

/** Byte width of the character at `at`; undefined for single-byte charsets. */
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
