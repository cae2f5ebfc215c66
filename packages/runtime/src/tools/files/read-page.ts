/** A page of lines of a text file of any size. Memory is that of the page, not of the file. */
import { createReadStream } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import iconv from 'iconv-lite'
import { type Charset, detectCharset } from './charset.ts'
import { hashOf } from './ledger.ts'
import { readText } from './text-file.ts'

export interface Page {
  readonly lines: readonly string[]
  /** 1-based number of the first line. */
  readonly first: number
  /** Lines of the whole file; undefined when it was not read to its end. */
  readonly total: number | undefined
  readonly charset: Charset
  readonly eol: string
  readonly sha256: string | undefined
  /** All of the file, when it was read whole. */
  readonly bytes?: Uint8Array
  /** More lines follow. */
  readonly more: boolean
}

export interface PageRequest {
  readonly first: number
  readonly limit: number
  readonly size: number
  readonly preferred?: string | undefined
  readonly signal: AbortSignal
}

/** Larger files are paged from a stream and never hashed. */
export const WHOLE_FILE = 16 * 1024 * 1024
const MAX_LINE = 64 * 1024

export async function readPage(path: string, request: PageRequest): Promise<Page> {
  return request.size <= WHOLE_FILE ? await fromMemory(path, request) : await fromStream(path, request)
}

async function fromMemory(path: string, { first, limit, preferred }: PageRequest): Promise<Page> {
  const bytes = await readFile(path)
  const { view, charset, eol } = readText(bytes, preferred)
  const lines = toLines(view)
  const page = lines.slice(first - 1, first - 1 + limit)
  return {
    lines: page,
    first,
    total: lines.length,
    charset,
    eol,
    sha256: hashOf(bytes),
    bytes,
    more: first - 1 + limit < lines.length,
  }
}

/** A final line break ends the last line; it does not begin another. */
export function toLines(view: string): readonly string[] {
  if (view === '') return []
  const lines = view.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

async function fromStream(path: string, { first, limit, preferred, signal }: PageRequest): Promise<Page> {
  const charset = detectCharset(await sample(path), preferred, true)
  const lines: string[] = []
  let number = 0
  let more = false
  for await (const line of linesOf(path, charset, signal)) {
    number++
    if (number >= first + limit) {
      more = true
      break
    }
    if (number >= first) lines.push(line)
  }
  const total = more ? undefined : number
  return { lines, first, total, charset, eol: 'lf', sha256: undefined, more }
}

/** Lines of any length, each held only up to MAX_LINE characters. Closing the generator closes the file. */
async function* linesOf(path: string, charset: Charset, signal: AbortSignal): AsyncGenerator<string> {
  const decoder = iconv.getDecoder(charset.name, { stripBOM: false })
  let line = ''
  for await (const chunk of createReadStream(path, { start: charset.bom, signal })) {
    const parts = decoder.write(chunk as Buffer).split('\n')
    const last = parts.pop() ?? ''
    for (const part of parts) {
      yield (line + part).replace(/\r$/, '')
      line = ''
    }
    if (line.length < MAX_LINE) line += last
  }
  if (line !== '') yield line
}

async function sample(path: string): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
