/** Files below a directory whose name fits a pattern, by ripgrep or without it: the same either way. */
import { join, relative } from 'node:path'
import { createYield } from '@toolwire/core'
import { globMatcher } from '../globs/glob-matcher.ts'
import { describeUnread } from './describe-unread.ts'
import { excludeHidden } from './exclude-hidden.ts'
import { runRipgrep } from './ripgrep.ts'
import { holdSearched } from './searched-place.ts'
import { showPath } from './show-path.ts'
import { VCS_DIRECTORIES, walk } from './walk.ts'

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
  /** The binary to search with; without one the directories are walked. */
  readonly ripgrep: string | undefined
}

export interface FileList {
  readonly paths: readonly string[]
  readonly timed_out: boolean
  /** Something went wrong, in part or whole. */
  readonly problem?: string
}

const EXCLUDE = VCS_DIRECTORIES.flatMap(name => ['--glob', `!**/${name}/**`])

export async function listFiles(request: ListRequest): Promise<FileList> {
  const fits = matcher(request.pattern)
  const { ripgrep } = request
  return ripgrep === undefined ? await byWalk(request, fits) : await byRipgrep(ripgrep, request, fits)
}

/** A name that is literally the pattern fits (`[id].tsx` is a file name in some frameworks), and so does what the glob means. */
function matcher(pattern: string): (path: string) => boolean {
  const clean = pattern.replace(/^\.\//, '')
  const glob = globMatcher(clean)
  const literal = /[[\]]/.test(clean) ? globMatcher(clean.replaceAll(/[[\]]/g, '\\$&')) : undefined
  return path => path === clean || glob(path) || (literal?.(path) ?? false)
}

async function byRipgrep(
  binary: string,
  request: ListRequest,
  fits: (path: string) => boolean,
): Promise<FileList> {
  const paths: string[] = []
  const yieldOften = createYield()
  let rest = Buffer.alloc(0)
  const place = await holdSearched(request.root)
  const end = await runRipgrep(binary, {
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
  if (end.out_of_memory) return await byWalk(request, fits)
  const problem = end.code === 2 && end.stderr !== '' ? end.stderr.trim() : undefined
  return { paths, timed_out: end.timed_out, ...(problem === undefined ? {} : { problem }) }
}

async function byWalk(request: ListRequest, fits: (path: string) => boolean): Promise<FileList> {
  const paths: string[] = []
  const limit = AbortSignal.timeout(request.timeout_ms)
  const signal = AbortSignal.any([request.signal, limit])
  const { no_ignore, hidden } = request
  const unread: string[] = []
  const onUnread = (problem: string): void => void unread.push(problem)
  const yieldOften = createYield()
  for await (const path of walk(request.root, { no_ignore, signal, hidden, onUnread })) {
    if (fits(relative(request.root, path)) && !request.isWithheld?.(path)) paths.push(path)
    await yieldOften()
  }
  return {
    paths,
    timed_out: limit.aborted,
    ...(unread.length === 0 ? {} : { problem: describeUnread(unread) }),
  }
}
