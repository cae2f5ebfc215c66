/** The beginning of a file of the workspace, by what a page can show of it. */
import { serverApi } from '../server-api.ts'

/** Bytes that a preview reads of a text, and of an image. */
const TEXT_BYTES = 512 * 1024
const IMAGE_BYTES = 20 * 1024 * 1024

export type FileContent =
  | { readonly kind: 'image'; readonly blob: Blob; readonly bytes: number }
  | { readonly kind: 'binary'; readonly bytes: number }
  | {
      readonly kind: 'text'
      readonly text: string
      readonly lang: string
      readonly bytes: number
      readonly isCut: boolean
    }

/** Images that a browser draws without running anything of them. */
const IMAGES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
}

/** Throws ToolwireError with the reason of the server. */
export async function readContent(session: string, path: string): Promise<FileContent> {
  const lang = /\.([A-Za-z0-9]{1,12})$/.exec(path)?.[1]?.toLowerCase() ?? ''
  const type = Object.hasOwn(IMAGES, lang) ? IMAGES[lang] : undefined
  const { blob, bytes } = await serverApi.file(session, path, type ? IMAGE_BYTES : TEXT_BYTES)
  if (type) {
    if (bytes > IMAGE_BYTES) return { kind: 'binary', bytes }
    return { kind: 'image', blob: new Blob([blob], { type }), bytes }
  }
  const text = await blob.text()
  if (text.includes('\0')) return { kind: 'binary', bytes }
  return { kind: 'text', text, lang, bytes, isCut: bytes > blob.size }
}
