/** Files below a directory whose name fits a pattern, listed by ripgrep. */
import { join } from 'node:path'
import { createYield } from '@toolwire/core'
import { globMatcher } from '../globs/glob-matcher.ts'
import { excludeHidden } from './exclude-hidden.ts'
import type { Ripgrep } from './ripgrep.ts'
import { runRipgrep } from './run-ripgrep.ts'
import { holdSearched } from './searched-place.ts'
import { showPath } from './show-path.ts'
import { VCS_DIRECTORIES } from './vcs-directories.ts'

export interface ListRequest {
  readonly root: string
  /** Relative to the root. */
  readonly pattern: string
  readonly no_ignore: boolean
  /** Directories that are not looked into, unless the root is inside of one; absolute. */
  readonly hidden: readonly string[]
  /** True if rules withhold this file; absolute. None if absent. */
  readonly isWithheld?: (path: string) => boolean
  readonly signal: AbortSignal
  readonly timeout_ms: number
}

export interface FileList {
  readonly paths: readonly string[]
  readonly timed_out: boolean
  /** Something went wrong, in part or whole. */
  readonly problem?: string
  /** A sentence on how the files were listed, for the model. */
  readonly note?: string
}

const EXCLUDE = VCS_DIRECTORIES.flatMap(name => ['--glob', `!**/${name}/**`])

export async function listFiles(ripgrep: Ripgrep, request: ListRequest): Promise<FileList> {
  const fits = matcher(request.pattern)
  const paths: string[] = []
  const yieldOften = createYield()
  let rest = Buffer.alloc(0)
  const place = await holdSearched(request.root)
  const end = await runRipgrep(ripgrep, {
    args: [
      '--no-config',
      '--files',
      '--hidden',
      '--null',
      '--no-require-git',
      '--no-ignore-global',
      '--no-ignore-exclude',
      ...(request.no_ignore ? ['--no-ignore'] : []),
      ...EXCLUDE,
      ...excludeHidden(request.hidden, request.root),
    ],
    cwd: place.cwd,
    signal: request.signal,
    timeout_ms: request.timeout_ms,
    async onData(chunk) {
      rest = Buffer.concat([rest, chunk])
      for (let at = rest.indexOf(0); at !== -1; at = rest.indexOf(0)) {
        const name = showPath(rest.subarray(0, at)).replace(/^\.\//, '')
        rest = rest.subarray(at + 1)
        const path = join(request.root, name)
        if (fits(name) && !request.isWithheld?.(path)) paths.push(path)
        await yieldOften()
      }
      return !request.signal.aborted
    },
    onRestart() {
      paths.length = 0
      rest = Buffer.alloc(0)
    },
  }).finally(place.close)
  const { timed_out, note } = end
  const problem = end.code === 2 && end.stderr !== '' ? end.stderr.trim() : undefined
  return {
    paths,
    timed_out,
    ...(problem === undefined ? {} : { problem }),
    ...(note === undefined ? {} : { note }),
  }
}

/** A name that is literally the pattern fits (`[id].tsx` is a file name in some frameworks), and so does what the glob means. */
function matcher(pattern: string): (path: string) => boolean {
  const clean = pattern.replace(/^\.\//, '')
  const glob = globMatcher(clean)
  const literal = /[[\]]/.test(clean) ? globMatcher(clean.replaceAll(/[[\]]/g, '\\$&')) : undefined
  return path => path === clean || glob(path) || (literal?.(path) ?? false)
}
