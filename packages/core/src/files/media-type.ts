/** The type of a file by its first bytes. The sender's word chooses between types of text alone. */
import { hasSignature, PICTURES } from '../image-type.ts'

/** Bytes of the start of a file that the type is read from. */
export const HEAD_BYTES = 64 * 1024

const ascii = (text: string): readonly number[] => [...text].map(letter => letter.charCodeAt(0))
const ANY4 = [undefined, undefined, undefined, undefined]

const MAGIC: typeof PICTURES = [
  ...PICTURES,
  ['application/pdf', ascii('%PDF-')],
  ['audio/wav', [...ascii('RIFF'), ...ANY4, ...ascii('WAVE')]],
  ['audio/mpeg', ascii('ID3')],
  ['audio/ogg', ascii('OggS')],
  ['audio/flac', ascii('fLaC')],
  ['audio/mp4', [...ANY4, ...ascii('ftypM4A')]],
  ['application/zip', [0x50, 0x4b, 0x03, 0x04]],
  ['application/gzip', [0x1f, 0x8b]],
]

const BY_NAME: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  ipynb: 'application/x-ipynb+json',
  md: 'text/markdown',
}

const TEXTS: ReadonlySet<string> = new Set([
  'application/json',
  'application/x-ipynb+json',
  'application/xml',
  'image/svg+xml',
])

/** True for what a model reads as text. */
export const isTextType = (media_type: string): boolean =>
  media_type.startsWith('text/') || TEXTS.has(media_type)

/** Image formats that every provider takes. */
export const isCommonImage = (media_type: string): boolean => PICTURES.some(([type]) => type === media_type)

/** `head` is the start of the content, all of it when it is shorter than `HEAD_BYTES`. Pure. */
export function mediaTypeOf(head: Uint8Array, filename: string): string {
  const type = MAGIC.find(magic => hasSignature(head, magic))?.[0]
  if (type !== undefined) return type
  if (isMp3Frame(head)) return 'audio/mpeg'
  return isText(head) ? textTypeOf(head, filename) : 'application/octet-stream'
}

/** Eleven bits of synchronization, and none of the values that are reserved. */
function isMp3Frame([first = 0, second = 0, third = 0]: Uint8Array): boolean {
  const isSync = first === 0xff && (second & 0xe0) === 0xe0
  return isSync && (second & 0x18) !== 0x08 && (second & 0x06) === 0x02 && third >> 4 !== 0xf
}

/** UTF-8 without control characters; its last character may be cut. */
function isText(head: Uint8Array): boolean {
  for (const byte of head)
    if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27) || byte === 127) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}

/** Markup is named as what a browser would make of it, so that it is never shown as a page. */
function textTypeOf(head: Uint8Array, filename: string): string {
  const start = new TextDecoder().decode(head.subarray(0, 1024)).trimStart()
  if (start.startsWith('<')) {
    const text = new TextDecoder().decode(head)
    if (/<svg[\s>]/i.test(text)) return 'image/svg+xml'
    if (/^<\?xml/i.test(start)) return 'application/xml'
    if (
      /^<(?:!doctype|html|head|body|script|iframe|style|meta|title|div|p|a|img|br|table|h1|!--)\b/i.test(
        start,
      )
    )
      return 'text/html'
  }
  return BY_NAME[/\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? ''] ?? 'text/plain'
}
