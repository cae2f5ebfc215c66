/** The text of a PDF, page by page. A small file may take any time: this belongs into a thread. */
import { safeHead } from '@toolwire/core'

export interface PdfText {
  readonly total: number
  /** Of the wanted pages; none when there are too many of them, or fewer than the first. */
  readonly pages: readonly string[]
}

/** 1-based, both included. */
export interface PdfRange {
  readonly first: number
  readonly last: number
}

/** Characters of all pages together; what follows is left out. */
const MAX_TEXT = 4_000_000

/** Of all pages when no range is given, and then only where they are not more than `whole`. Throws what the PDF library throws. */
export async function pdfText(
  bytes: Uint8Array,
  range: PdfRange | undefined,
  whole: number,
): Promise<PdfText> {
  const { getDocumentProxy } = await import('unpdf')
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 })
  const total = document.numPages
  const { first, last } = range ?? { first: 1, last: total <= whole ? total : 0 }
  const pages: string[] = []
  let left = MAX_TEXT
  for (let number = first; number <= Math.min(last, total); number++) {
    const { items } = await (await document.getPage(number)).getTextContent()
    const text = items.map(item => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('')
    const shown = safeHead(text, Math.max(0, left))
    pages.push(shown.length < text.length ? `${shown}\n[The rest of this page is left out.]` : shown)
    left -= text.length
  }
  return { total, pages }
}
