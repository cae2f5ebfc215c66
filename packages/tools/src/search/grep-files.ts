/** Searches files one after another, without ripgrep. It reads them at once and its pattern may never end: this belongs into a thread. */
import { readText } from '../files/text-file.ts'
import { readWholeSync } from '../safe-files/open-file.ts'
import type { FileHits, GrepRequest } from './grep-request.ts'
import { type Pattern, toPattern } from './ripgrep-pattern.ts'
import { searchText } from './search-text.ts'

export type GrepWork = Pick<
  GrepRequest,
  'pattern' | 'mode' | 'before' | 'after' | 'ignore_case' | 'only_matching' | 'multiline'
>

export interface GrepFound {
  readonly files: readonly FileHits[]
  /** Files that could not be read, each with the reason. */
  readonly unread: readonly string[]
  /** The reason that nothing was searched. */
  readonly problem?: string
}

const MAX_FILE = 64 * 1024 * 1024
/** As much as ripgrep looks at before it takes a file for text. */
const SAMPLE = 64 * 1024

export function grepFiles(paths: readonly string[], work: GrepWork): GrepFound {
  let pattern: Pattern
  try {
    pattern = toPattern(work.pattern, work)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { files: [], unread: [], problem: `regex parse error: ${why}` }
  }
  const files: FileHits[] = []
  const unread: string[] = []
  for (const path of paths) {
    const hits = search(path, pattern, work)
    if (typeof hits === 'string') unread.push(`${path}: ${hits}`)
    else if (hits) files.push(hits)
  }
  return { files, unread }
}

/** The matches of a file, undefined without any, or the reason that it was not searched. */
function search(path: string, pattern: Pattern, work: GrepWork): FileHits | string | undefined {
  let bytes: Uint8Array
  try {
    bytes = readWholeSync(path, MAX_FILE)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'EFBIG' ? `larger than ${MAX_FILE} bytes` : (code ?? message)
  }
  const wide = bytes[0] === 0xff || bytes[0] === 0xfe
  if (!wide && bytes.subarray(0, SAMPLE).includes(0)) return undefined
  const hits = searchText(readText(bytes).view, pattern, work)
  return hits && { path, ...hits }
}
