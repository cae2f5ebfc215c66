/** Searches without ripgrep, in threads: a pattern that never ends is stopped with its thread. */
import { stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { createYield, reasonOf } from '@toolwire/core'
import { globMatcher } from '../globs/glob-matcher.ts'
import { offload } from '../offload/offload.ts'
import { OffloadError } from '../offload/offload-error.ts'
import { describeUnread } from './describe-unread.ts'
import type { GrepWork } from './grep-files.ts'
import type { FileHits, GrepAnswer, GrepRequest } from './grep-request.ts'
import { walk } from './walk.ts'

/** Globs of ripgrep's type names; the common ones. */
const TYPES: Readonly<Record<string, string>> = {
  js: '*.{js,jsx,mjs,cjs}',
  ts: '*.{ts,tsx,mts,cts}',
  py: '*.{py,pyi}',
  rust: '*.rs',
  go: '*.go',
  java: '*.java',
  c: '*.{c,h}',
  cpp: '*.{cpp,cc,cxx,hpp,hh,h}',
  css: '*.css',
  html: '*.{html,htm}',
  json: '*.json',
  md: '*.{md,markdown}',
  sh: '*.{sh,bash,zsh}',
  yaml: '*.{yaml,yml}',
  toml: '*.toml',
  xml: '*.xml',
  sql: '*.sql',
  ruby: '*.rb',
  php: '*.php',
  txt: '*.txt',
}

/** Searched in one piece of work: what was found before the time is over is kept by pieces. */
const BATCH = 50
/** Lines in all; beyond it the search ends. */
const MAX_LINES = 100_000

export async function grepByWalk(request: GrepRequest): Promise<GrepAnswer> {
  const started = performance.now()
  const limit = AbortSignal.timeout(request.timeout_ms)
  const unread: string[] = []
  const paths = await candidates({ ...request, signal: AbortSignal.any([request.signal, limit]) }, unread)
  if (typeof paths === 'string') return { files: [], timed_out: false, cut: false, problem: paths }
  const { pattern, mode, before, after, ignore_case, only_matching, multiline, signal } = request
  const work: GrepWork = { pattern, mode, before, after, ignore_case, only_matching, multiline }
  const files: FileHits[] = []
  const end = (rest: Partial<GrepAnswer> = {}): GrepAnswer => {
    const problem = unread.length === 0 ? {} : { problem: describeUnread(unread) }
    return { files, timed_out: false, cut: false, ...problem, ...rest }
  }
  let lines = 0
  for (let at = 0; at < paths.length && lines <= MAX_LINES; at += BATCH) {
    const timeout_ms = Math.max(0, request.timeout_ms - (performance.now() - started))
    try {
      const found = await offload('grepFiles', [paths.slice(at, at + BATCH), work], { timeout_ms, signal })
      if (found.problem !== undefined) return end({ problem: found.problem })
      files.push(...found.files)
      unread.push(...found.unread)
      lines += found.files.reduce((sum, file) => sum + file.lines.length, 0)
    } catch (error) {
      return end(toEnd(error))
    }
  }
  return end({ cut: lines > MAX_LINES })
}

function toEnd(error: unknown): Partial<GrepAnswer> {
  const code = error instanceof OffloadError ? error.code : undefined
  if (code === 'timeout' || code === 'aborted') return { timed_out: code === 'timeout' }
  return { problem: reasonOf(error) }
}

/** The files to search, or a sentence with the reason that none exist. Adds unreadable directories to `unread`. */
async function candidates(request: GrepRequest, unread: string[]): Promise<readonly string[] | string> {
  const type = request.type === undefined ? undefined : TYPES[request.type]
  if (request.type !== undefined && type === undefined) return `unrecognized file type: ${request.type}`
  const found = await stat(request.path).catch(() => undefined)
  if (!found) return `${request.path}: no such file or directory`
  if (found.isFile()) return request.isWithheld?.(request.path) ? [] : [request.path]
  const fits = byGlobs(request.globs, type)
  const paths: string[] = []
  const yieldOften = createYield()
  const { signal, hidden } = request
  const onUnread = (problem: string): void => void unread.push(problem)
  for await (const path of walk(request.path, { no_ignore: false, signal, hidden, onUnread })) {
    if (fits(relative(request.path, path)) && !request.isWithheld?.(path)) paths.push(path)
    await yieldOften()
  }
  return paths
}

/** As ripgrep reads them: a glob without a slash fits at any depth, `!` excludes, the last that fits decides. */
function byGlobs(globs: readonly string[], type: string | undefined): (path: string) => boolean {
  const deep = (glob: string): string => (glob.includes('/') ? glob.replace(/^\//, '') : `**/${glob}`)
  const rules = globs.map(glob => ({
    no: glob.startsWith('!'),
    fits: globMatcher(deep(glob.replace(/^!/, '')), { nonegate: true }),
  }))
  const ofType = type === undefined ? () => true : globMatcher(deep(type))
  const listed = rules.some(rule => !rule.no)
  return path => {
    const last = rules.findLast(rule => rule.fits(path))
    return ofType(path) && (last ? !last.no : !listed)
  }
}
