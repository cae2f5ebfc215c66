/** The thread behind grep-by-walk: reads files one by one and posts what it finds. */
import { readFileSync, statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { readText } from '../files/text-file.ts'
import type { FileHits, GrepRequest } from './grep-request.ts'
import { type Pattern, toPattern } from './ripgrep-pattern.ts'
import { searchText } from './search-text.ts'

type Work = Pick<
  GrepRequest,
  'pattern' | 'mode' | 'before' | 'after' | 'ignore_case' | 'only_matching' | 'multiline'
> & {
  readonly paths: readonly string[]
}

const MAX_FILE = 64 * 1024 * 1024
/** As much as ripgrep looks at before it takes a file for text. */
const SAMPLE = 64 * 1024

function main(work: Work, post: (message: unknown) => void): void {
  let pattern: Pattern
  try {
    pattern = toPattern(work.pattern, work)
  } catch (error) {
    post({ problem: `regex parse error: ${error instanceof Error ? error.message : String(error)}` })
    return
  }
  for (const path of work.paths) {
    const hits = search(path, pattern, work)
    if (typeof hits === 'string') post({ unread: `${path}: ${hits}` })
    else if (hits) post(hits)
  }
  post('end')
}

/** What is in the file, undefined when nothing is, or why it was not searched. */
function search(path: string, pattern: Pattern, work: Work): FileHits | string | undefined {
  let bytes: Uint8Array
  try {
    if (statSync(path).size > MAX_FILE) return `larger than ${MAX_FILE} bytes`
    bytes = readFileSync(path)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
  const wide = bytes[0] === 0xff || bytes[0] === 0xfe
  if (!wide && bytes.subarray(0, SAMPLE).includes(0)) return undefined
  const hits = searchText(readText(bytes).view, pattern, work)
  return hits && { path, ...hits }
}

if (parentPort) {
  const port = parentPort
  main(workerData as Work, message => port.postMessage(message))
}
