/** A search in file contents and its result. */

export interface GrepRequest {
  readonly pattern: string
  /** A file or a directory; absolute. */
  readonly path: string
  readonly globs: readonly string[]
  /** Directories that are not looked into, unless the path is inside of one; absolute. */
  readonly hidden: readonly string[]
  /** True if rules withhold this file; absolute. Its content must not change the result. None if absent. */
  readonly isWithheld?: (path: string) => boolean
  readonly type: string | undefined
  readonly mode: 'files_with_matches' | 'content' | 'count'
  readonly before: number
  readonly after: number
  readonly ignore_case: boolean
  readonly only_matching: boolean
  readonly multiline: boolean
  readonly signal: AbortSignal
  readonly timeout_ms: number
}

/** The matches of one file. */
export interface FileHits {
  readonly path: string
  /** In content mode: the lines, matches and context; `undefined` marks a gap between groups. */
  readonly lines: readonly (HitLine | undefined)[]
  /** In count mode. */
  readonly count: number
}

export interface HitLine {
  readonly number: number
  readonly match: boolean
  readonly text: string
}

export interface GrepAnswer {
  readonly files: readonly FileHits[]
  readonly timed_out: boolean
  /** Too much was found to hold; what there is is a part. */
  readonly cut: boolean
  /** A sentence on how the search was done, for the model. */
  readonly note?: string
  /** The failure: complete without files, else partial. */
  readonly problem?: string
}

export const MAX_COLUMNS = 500

/** Split at blanks and commas, but not inside braces: `*.{ts,tsx} *.md`. */
export function splitGlobs(text: string | undefined): readonly string[] {
  const globs: string[] = []
  let depth = 0
  let current = ''
  for (const char of text ?? '') {
    if (char === '{') depth++
    if (char === '}') depth--
    if (depth <= 0 && /[\s,]/.test(char)) {
      if (current !== '') globs.push(current)
      current = ''
    } else current += char
  }
  return current === '' ? globs : [...globs, current]
}
