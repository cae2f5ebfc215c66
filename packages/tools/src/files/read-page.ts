/** A page of lines of a text file of any size. Memory is that of the page, not of the file. */
import type { FileHandle } from 'node:fs/promises'
import iconv from 'iconv-lite'
import { offload } from '../offload/offload.ts'
import { openFile, readUpTo, WHOLE_FILE } from '../safe-files/open-file.ts'
import { type Charset, detectCharset } from './charset.ts'
import type { TextPage } from './text-page.ts'

export interface PageRequest {
  readonly first: number
  readonly limit: number
  readonly preferred?: string | undefined
  readonly signal: AbortSignal
}

const MAX_LINE = 64 * 1024
const SAMPLE = 64 * 1024

/** Larger files are paged from a stream and never hashed. */
export async function readPage(path: string, request: PageRequest): Promise<TextPage> {
  const file = await openFile(path)
  try {
    const { size } = await file.stat()
    const bytes = await readUpTo(file, size > WHOLE_FILE ? SAMPLE : WHOLE_FILE + 1)
    const isWhole = size <= WHOLE_FILE && bytes.length <= WHOLE_FILE
    return isWhole ? await fromMemory(bytes, request) : await fromStream(file, bytes, request)
  } finally {
    await file.close()
  }
}

async function fromMemory(bytes: Buffer, { first, limit, preferred }: PageRequest): Promise<TextPage> {
  return { ...(await offload('pageOf', [bytes, { first, limit, preferred }])), bytes }
}

async function fromStream(
  file: FileHandle,
  head: Buffer,
  { first, limit, preferred, signal }: PageRequest,
): Promise<TextPage> {
  const charset = detectCharset(head.subarray(0, SAMPLE), preferred, true)
  const lines: string[] = []
  let number = 0
  let more = false
  for await (const line of linesOf(file, charset, signal)) {
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

/** Lines of any length, each held only up to MAX_LINE characters. */
async function* linesOf(file: FileHandle, charset: Charset, signal: AbortSignal): AsyncGenerator<string> {
  const decoder = iconv.getDecoder(charset.name, { stripBOM: false })
  let line = ''
  for await (const chunk of file.createReadStream({ start: charset.bom, autoClose: false, signal })) {
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
