/** Searches without ripgrep, in a thread of its own: a pattern that never ends is stopped with it. */
import { stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { Worker } from 'node:worker_threads'
import { globMatcher } from '../../globs/glob-matcher.ts'
import { describeUnread } from './describe-unread.ts'
import type { FileHits, GrepAnswer, GrepRequest } from './grep-request.ts'
import { walk } from './walk.ts'

/** What a type name of ripgrep stands for; the common ones. */
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

export async function grepByWalk(request: GrepRequest): Promise<GrepAnswer> {
  const started = performance.now()
  const limit = AbortSignal.timeout(request.timeout_ms)
  const unread: string[] = []
  const paths = await candidates({ ...request, signal: AbortSignal.any([request.signal, limit]) }, unread)
  if (typeof paths === 'string') return { files: [], timed_out: false, cut: false, problem: paths }
  const { pattern, mode, before, after, ignore_case, only_matching, multiline } = request
  const file = import.meta.url.endsWith('.ts') ? './grep-worker.ts' : './grep-worker.js'
  const worker = new Worker(new URL(file, import.meta.url), {
    workerData: { paths, pattern, mode, before, after, ignore_case, only_matching, multiline },
  })
  const files: FileHits[] = []
  return await new Promise(resolve => {
    const end = (rest: Omit<GrepAnswer, 'files' | 'cut'>): void => {
      clearTimeout(timer)
      request.signal.removeEventListener('abort', stop)
      worker.terminate().catch(() => {})
      const problem = unread.length === 0 ? {} : { problem: describeUnread(unread) }
      resolve({ files, cut: false, ...problem, ...rest })
    }
    const left = Math.max(0, request.timeout_ms - (performance.now() - started))
    const timer = setTimeout(() => end({ timed_out: true }), left)
    const stop = (): void => end({ timed_out: false })
    request.signal.addEventListener('abort', stop, { once: true })
    worker.on('message', (message: WorkerMessage) => {
      if (message === 'end') end({ timed_out: false })
      else if ('problem' in message) end({ timed_out: false, problem: message.problem })
      else if ('unread' in message) unread.push(message.unread)
      else files.push(message)
    })
    worker.on('error', error =>
      end({ timed_out: false, problem: error instanceof Error ? error.message : String(error) }),
    )
  })
}

type WorkerMessage = FileHits | { readonly problem: string } | { readonly unread: string } | 'end'

/** The files to look into, or a sentence why there are none. Adds directories that cannot be read to `unread`. */
async function candidates(request: GrepRequest, unread: string[]): Promise<readonly string[] | string> {
  const type = request.type === undefined ? undefined : TYPES[request.type]
  if (request.type !== undefined && type === undefined) return `unrecognized file type: ${request.type}`
  const found = await stat(request.path).catch(() => undefined)
  if (!found) return `${request.path}: no such file or directory`
  if (found.isFile()) return [request.path]
  const fits = byGlobs(request.globs, type)
  const paths: string[] = []
  for await (const path of walk(request.path, {
    no_ignore: false,
    signal: request.signal,
    hidden: request.hidden,
    onUnread: problem => unread.push(problem),
  }))
    if (fits(relative(request.path, path))) paths.push(path)
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
