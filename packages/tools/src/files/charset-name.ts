/**
 * The charset for a name. Only those with exact byte offsets are supported: charsets with known character widths,
 * and those of one byte per character.
 */
import iconv from 'iconv-lite'

/** By letters and digits alone. */
const NAMES: Readonly<Record<string, string>> = {
  utf8: 'utf-8',
  utf8bom: 'utf-8',
  utf16: 'utf-16le',
  utf16le: 'utf-16le',
  utf16be: 'utf-16be',
  utf32: 'utf-32le',
  utf32le: 'utf-32le',
  utf32be: 'utf-32be',
  gb18030: 'gb18030',
  gbk: 'gbk',
  gb2312: 'gbk',
  cp936: 'gbk',
  windows936: 'gbk',
  shiftjis: 'shift_jis',
  sjis: 'shift_jis',
  xsjis: 'shift_jis',
  mskanji: 'shift_jis',
  cp932: 'shift_jis',
  ms932: 'shift_jis',
  windows31j: 'shift_jis',
  windows932: 'shift_jis',
  big5: 'big5',
  big5hkscs: 'big5',
  cp950: 'big5',
  euckr: 'euc-kr',
  cp949: 'euc-kr',
  windows949: 'euc-kr',
  eucjp: 'euc-jp',
  latin1: 'windows-1252',
  iso88591: 'windows-1252',
  ascii: 'windows-1252',
  usascii: 'windows-1252',
}

/** Undefined for what is no charset, such as `unset`, and for those that cannot be edited exactly. Pure. */
export function charsetNamed(given: string): string | undefined {
  const known = NAMES[given.toLowerCase().replaceAll(/[^a-z0-9]/g, '')]
  if (known !== undefined) return known
  return iconv.encodingExists(given) && isOfOneByte(given) ? given.toLowerCase() : undefined
}

const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

/** One character for every byte, and some for most of them. */
function isOfOneByte(name: string): boolean {
  const text = iconv.decode(EVERY_BYTE, name, { stripBOM: false })
  return text.length === EVERY_BYTE.length && text.split('\ufffd').length < 100
}
