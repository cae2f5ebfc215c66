/** Finds out what a content is while it streams by: its type, and the reason that no model can be shown it. */
import {
  AppError,
  HEAD_BYTES,
  imageSizeOf,
  isCommonImage,
  isTooManyPixels,
  MAX_PIXELS,
  mediaTypeOf,
} from '@toolwire/core'

export interface ContentFacts {
  readonly media_type: string
  readonly problem?: string
}

export interface ContentInspector {
  /** Throws `payload_too_large` for an image of too many pixels, as soon as its header is there. */
  readonly add: (chunk: Uint8Array) => void
  readonly finish: () => ContentFacts
}

/** Pages that a provider may take in one document. */
const MAX_PAGES = 1_000
/** Longer than a mark in a PDF, so that none is cut between two chunks. */
const OVERLAP = 32

/** `onHuge`: an image of too many pixels is noted as a problem, not refused. */
export function inspectContent(filename: string, onHuge: 'throw' | 'note' = 'throw'): ContentInspector {
  const head = new Uint8Array(HEAD_BYTES)
  let size = 0
  let facts: ContentFacts | undefined
  let pdf: PdfScan | undefined

  function decide(): ContentFacts {
    const start = head.subarray(0, size)
    const media_type = mediaTypeOf(start, filename)
    if (media_type === 'application/pdf') pdf = new PdfScan()
    if (!isCommonImage(media_type)) return { media_type }
    const pixels = imageSizeOf(start, media_type)
    if (pixels && isTooManyPixels(pixels)) {
      const problem = `it has ${pixels.width}x${pixels.height} pixels; at most ${MAX_PIXELS} are allowed`
      if (onHuge === 'note') return { media_type, problem }
      throw new AppError('payload_too_large', `The image cannot be stored: ${problem}.`)
    }
    const isShown = pixels && pixels.width > 0 && pixels.height > 0
    return { media_type, ...(isShown ? {} : { problem: 'its size cannot be read' }) }
  }
  return {
    add(chunk) {
      if (facts) return pdf?.add(chunk)
      const taken = Math.min(chunk.length, HEAD_BYTES - size)
      head.set(chunk.subarray(0, taken), size)
      size += taken
      if (size < HEAD_BYTES) return
      facts = decide()
      pdf?.add(head)
      pdf?.add(chunk.subarray(taken))
    },
    finish() {
      if (!facts) {
        facts = decide()
        pdf?.add(head.subarray(0, size))
      }
      const problem = facts.problem ?? pdf?.problem()
      return { media_type: facts.media_type, ...(problem === undefined ? {} : { problem }) }
    },
  }
}

/** Looks for what makes a PDF unreadable for models. Packed structures are not opened. */
class PdfScan {
  #rest = ''
  #isLocked = false
  #pages = 0

  add(chunk: Uint8Array): void {
    const text = this.#rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
    this.#isLocked ||= /\/Encrypt[\s/<]/.test(text)
    for (const [, count] of text.matchAll(/\/Count\s{0,8}(\d{1,12})/g))
      this.#pages = Math.max(this.#pages, Number(count))
    this.#rest = text.slice(-OVERLAP)
  }

  problem(): string | undefined {
    if (this.#isLocked) return 'it is locked by a password'
    return this.#pages > MAX_PAGES ? `it has more than ${MAX_PAGES} pages` : undefined
  }
}
