/** The type of a file by its first bytes: images, documents, other binary data, or text. */
import { hasSignature, PICTURES } from '@toolwire/core'

export type MediaKind =
  | { readonly type: 'image'; readonly media_type: string }
  | { readonly type: 'pdf' }
  | { readonly type: 'binary'; readonly media_type: string }
  | { readonly type: 'text' }

const MAGIC: typeof PICTURES = [
  ...PICTURES,
  ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['application/zip', [0x50, 0x4b, 0x03, 0x04]],
  ['application/gzip', [0x1f, 0x8b]],
  ['application/x-executable', [0x7f, 0x45, 0x4c, 0x46]],
  ['application/wasm', [0x00, 0x61, 0x73, 0x6d]],
  ['application/x-7z-compressed', [0x37, 0x7a, 0xbc, 0xaf]],
  ['application/x-xz', [0xfd, 0x37, 0x7a, 0x58]],
  ['application/vnd.sqlite3', [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20]],
]
const BINARY_NAMES =
  /\.(exe|dll|so|dylib|o|a|class|jar|pyc|bin|dat|zip|tar|gz|bz2|xz|7z|rar|mp3|mp4|mov|avi|mkv|wav|flac|woff2?|ttf|otf|ico|bmp|tiff?|psd|docx?|xlsx?|pptx?|wasm|sqlite3?|db)$/i

/** `sample` is the start of the file, `utf16` whether it was recognised as such. */
export function mediaOf(name: string, sample: Uint8Array, wide: boolean): MediaKind {
  const found = MAGIC.find(magic => hasSignature(sample, magic))?.[0]
  if (found?.startsWith('image/')) return { type: 'image', media_type: found }
  if (found === 'application/pdf') return { type: 'pdf' }
  if (found !== undefined) return { type: 'binary', media_type: found }
  if (!wide && looksBinary(sample)) return { type: 'binary', media_type: 'application/octet-stream' }
  if (BINARY_NAMES.test(name) && sample.length > 0 && controls(sample) > 0)
    return { type: 'binary', media_type: 'application/octet-stream' }
  return { type: 'text' }
}

const looksBinary = (sample: Uint8Array): boolean =>
  sample.includes(0) || controls(sample) > sample.length * 0.3

function controls(sample: Uint8Array): number {
  let count = 0
  for (const byte of sample) if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) count++
  return count
}
