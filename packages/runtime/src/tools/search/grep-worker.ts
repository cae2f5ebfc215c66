/** The thread behind grep-by-walk: reads files one by one and posts what it finds. */
import { readFileSync, statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { readText } from '../files/text-file.ts'
import { type FileHits, type GrepRequest, type HitLine, MAX_COLUMNS } from './grep-request.ts'

type Work = Pick<
  GrepRequest,
  'pattern' | 'mode' | 'before' | 'after' | 'ignore_case' | 'only_matching' | 'multiline'
> & {
  readonly paths: readonly string[]
}

const MAX_FILE = 64 * 1024 * 1024

function main(work: Work, post: (message: unknown) => void): void {
  let pattern: RegExp
  try {
    pattern = new RegExp(work.pattern, `g${work.multiline ? 'ms' : 'm'}${work.ignore_case ? 'i' : ''}u`)
  } catch (error) {
    post({ problem: `regex parse error: ${error instanceof Error ? error.message : String(error)}` })
    return
  }
  for (const path of work.paths) {
    const hits = search(path, pattern, work)
    if (hits) post(hits)
  }
  post('end')
}

function search(path: string, pattern: RegExp, work: Work): FileHits | undefined {
  let bytes: Uint8Array
  try {
    if (statSync(path).size > MAX_FILE) return undefined
    bytes = readFileSync(path)
  } catch {
    return undefined
  }
  const wide = bytes[0] === 0xff || bytes[0] === 0xfe
  if (!wide && bytes.subarray(0, 8192).includes(0)) return undefined
  const { view } = readText(bytes)
  const lines = view.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const { matched, found } = matches(view, lines, pattern, work.multiline)
  if (matched.size === 0) return undefined
  if (work.mode !== 'content') return { path, lines: [], count: matched.size }
  if (work.only_matching) return { path, lines: found, count: matched.size }
  return { path, lines: withContext(lines, matched, work), count: matched.size }
}

function matches(
  view: string,
  lines: readonly string[],
  pattern: RegExp,
  multiline: boolean,
): { matched: Set<number>; found: HitLine[] } {
  const matched = new Set<number>()
  const found: HitLine[] = []
  if (!multiline) {
    for (const [i, line] of lines.entries())
      for (const hit of line.matchAll(pattern)) {
        matched.add(i)
        found.push({ number: i + 1, match: true, text: hit[0] })
      }
    return { matched, found }
  }
  for (const hit of view.matchAll(pattern)) {
    const first = view.slice(0, hit.index).split('\n').length - 1
    for (const [i, text] of hit[0].split('\n').entries()) {
      matched.add(first + i)
      found.push({ number: first + i + 1, match: true, text })
    }
  }
  return { matched, found }
}

function withContext(
  lines: readonly string[],
  matched: ReadonlySet<number>,
  { before, after }: Work,
): (HitLine | undefined)[] {
  const shown = new Set<number>()
  for (const at of matched)
    for (let i = Math.max(0, at - before); i <= Math.min(lines.length - 1, at + after); i++) shown.add(i)
  const out: (HitLine | undefined)[] = []
  let last: number | undefined
  for (const i of [...shown].sort((a, b) => a - b)) {
    if (last !== undefined && i > last + 1 && before + after > 0) out.push(undefined)
    out.push({ number: i + 1, match: matched.has(i), text: preview(lines[i] ?? '') })
    last = i
  }
  return out
}

/** Over-long lines are shown as ripgrep shows them. */
const preview = (line: string): string =>
  line.length <= MAX_COLUMNS ? line : `${line.slice(0, MAX_COLUMNS)} [... omitted end of long line]`

if (parentPort) {
  const port = parentPort
  main(workerData as Work, message => port.postMessage(message))
}
