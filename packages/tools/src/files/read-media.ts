/** Images and documents as content blocks; other binary files as an error that names their type. */
import { basename } from 'node:path'
import type { ToolStep } from '@toolwire/core'
import { offload } from '../offload/offload.ts'
import { OffloadError } from '../offload/offload-error.ts'
import { openFile, readWhole } from '../safe-files/open-file.ts'
import { detectCharset } from './charset.ts'
import { type FindScaler, fitImage, MAX_SOURCE_BYTES } from './fit-image.ts'
import { type MediaKind, mediaOf } from './media.ts'
import type { PdfRange } from './pdf-text.ts'

const MAX_PDF = 32 * 1024 * 1024
const PDF_WHOLE = 10
const PDF_RANGE = 20
const SNIFF = 8 * 1024

export async function sniff(path: string): Promise<MediaKind> {
  const file = await openFile(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFF), 0, SNIFF, 0)
    const sample = buffer.subarray(0, bytesRead)
    return mediaOf(
      basename(path),
      sample,
      /^utf-(16|32)/.test(detectCharset(sample, undefined, bytesRead === SNIFF).name),
    )
  } finally {
    await file.close()
  }
}

export interface MediaOptions {
  /** Pages of a PDF. */
  readonly pages?: string | undefined
  /** Scales images down; the optional package if absent. */
  readonly findScaler?: FindScaler | undefined
}

/** `media` is not text. */
export async function readMedia(
  file: { readonly path: string; readonly size: number },
  media: MediaKind,
  options: MediaOptions = {},
): Promise<ToolStep> {
  switch (media.type) {
    case 'image':
      return await readImage(file, options.findScaler)
    case 'pdf':
      return await readPdf(file, options.pages)
    case 'binary':
    case 'text':
      return problem(
        'binary_file',
        `${file.path} is a binary file (${media.type === 'binary' ? media.media_type : 'unknown'}, ${file.size} bytes) and cannot be shown as text. Use Bash with file, strings or xxd to look into it.`,
      )
  }
}

const problem = (code: string, message: string): ToolStep => ({ type: 'failure', code, message })

async function readImage(
  { path, size }: { readonly path: string; readonly size: number },
  findScaler: FindScaler | undefined,
): Promise<ToolStep> {
  if (size > MAX_SOURCE_BYTES)
    return problem(
      'too_large',
      `${path} has ${size} bytes; images beyond ${MAX_SOURCE_BYTES} are not opened.`,
    )
  const fit = await fitImage(await readWhole(path, MAX_SOURCE_BYTES), findScaler)
  if (!fit.ok) return problem(fit.code, `${path} ${fit.reason}`)
  const { data, original, ...facts } = fit.image
  const { width, height, bytes, media_type } = facts
  const was = original
    ? `, scaled down from ${original.width}x${original.height}, ${original.bytes} bytes`
    : ''
  const source = { type: 'base64', media_type, data: Buffer.from(data).toString('base64') } as const
  return {
    type: 'result',
    output_text: `[${path}: image, ${width}x${height}, ${bytes} bytes${was}]`,
    content: [{ type: 'image', source, title: basename(path) }],
    structured: { path, ...facts, ...(original ? { original } : {}) },
  }
}

async function readPdf(
  file: { readonly path: string; readonly size: number },
  pages?: string,
): Promise<ToolStep> {
  const { path, size } = file
  const range = pages === undefined ? undefined : parseRange(pages)
  if (pages !== undefined && !range)
    return problem('precondition', `pages must be a number or a range such as "1-5", not "${pages}".`)
  if (range && range.last - range.first + 1 > PDF_RANGE)
    return problem('precondition', `At most ${PDF_RANGE} pages can be read at once.`)
  if (size > MAX_PDF)
    return problem('too_large', `${path} has ${size} bytes; PDF files may have at most ${MAX_PDF}.`)
  try {
    return await showPdf(path, range)
  } catch (error) {
    if (error instanceof OffloadError) return problem(error.code, `${path} cannot be shown. ${error.message}`)
    const said = error instanceof Error ? error.message : String(error)
    const why = /password/i.test(said)
      ? 'is encrypted and needs a password.'
      : `is not a readable PDF: ${said}`
    return problem('failed', `${path} ${why}`)
  }
}

/** Throws what the PDF library throws, and OffloadError. */
async function showPdf(path: string, range: PdfRange | undefined): Promise<ToolStep> {
  const bytes = await readWhole(path, MAX_PDF)
  const { total, pages } = await offload('pdfText', [bytes, range, PDF_WHOLE])
  if (range && range.first > total) return problem('precondition', `${path} has ${total} pages.`)
  if (!range && total > PDF_WHOLE)
    return problem(
      'precondition',
      `${path} has ${total} pages. Say which to read with pages, such as "1-5" (at most ${PDF_RANGE}).`,
    )
  const { first, last } = range ?? { first: 1, last: total }
  const shown = pages.map((page, i) => `--- Page ${first + i} of ${total} ---\n${page}`)
  const source = { type: 'base64', media_type: 'application/pdf', data: bytes.toString('base64') } as const
  return {
    type: 'result',
    output_text: shown.join('\n'),
    ...(range ? {} : { content: [{ type: 'document', source, title: basename(path) }] }),
    structured: { path, pages: total, first, last: Math.min(last, total) },
  }
}

function parseRange(pages: string): PdfRange | undefined {
  const found = /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(pages)
  if (!found) return undefined
  const first = Number(found[1])
  const last = Number(found[2] ?? found[1])
  return first >= 1 && last >= first ? { first, last } : undefined
}
