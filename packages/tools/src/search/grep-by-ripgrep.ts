/** Searches with ripgrep. Names are separated by NUL, so that no name can be mistaken for content. */
import { excludeHidden } from './exclude-hidden.ts'
import {
  type FileHits,
  type GrepAnswer,
  type GrepRequest,
  type HitLine,
  MAX_COLUMNS,
} from './grep-request.ts'
import type { Ripgrep } from './ripgrep.ts'
import { runRipgrep } from './run-ripgrep.ts'
import { holdSearched, type SearchedPlace } from './searched-place.ts'
import { showPath } from './show-path.ts'
import { VCS_DIRECTORIES } from './vcs-directories.ts'

/** More than a user reads; beyond it the search ends. */
const MAX_BYTES = 4 * 1024 * 1024

export async function grepByRipgrep(
  ripgrep: Ripgrep,
  request: GrepRequest,
  encoding?: string,
): Promise<GrepAnswer> {
  const place = await holdSearched(request.path)
  try {
    return await searchPlace(ripgrep, request, { place, encoding })
  } finally {
    await place.close()
  }
}

async function searchPlace(
  ripgrep: Ripgrep,
  request: GrepRequest,
  { place, encoding }: { readonly place: SearchedPlace; readonly encoding: string | undefined },
): Promise<GrepAnswer> {
  const open = (): MatchReader => createReader(request.mode, place.toPath, request.isWithheld)
  let reader = open()
  const end = await runRipgrep(ripgrep, {
    args: [...toArgs(request, encoding), place.target],
    cwd: place.cwd,
    fd: place.fd,
    signal: request.signal,
    timeout_ms: request.timeout_ms,
    onData(chunk) {
      reader.push(chunk)
      return !reader.isFull()
    },
    onRestart() {
      reader = open()
    },
  })
  const files = reader.end()
  const failed = end.code === 2 && end.stderr.trim() !== ''
  const { timed_out, note } = end
  return {
    files,
    timed_out,
    cut: reader.isFull(),
    ...(note === undefined ? {} : { note }),
    ...(failed ? { problem: end.stderr.trim() } : {}),
  }
}

function toArgs(request: GrepRequest, encoding: string | undefined): readonly string[] {
  const content = request.mode === 'content'
  return [
    '--no-config',
    '--hidden',
    '--null',
    '--color',
    'never',
    '--no-heading',
    '--with-filename',
    '--no-require-git',
    '--no-ignore-global',
    '--no-ignore-exclude',
    // The end of a line is one, whatever its form.
    '--crlf',
    ...VCS_DIRECTORIES.flatMap(name => ['--glob', `!**/${name}/**`]),
    '--max-columns',
    String(MAX_COLUMNS),
    '--max-columns-preview',
    ...request.globs.flatMap(glob => ['--glob', glob]),
    // The last glob that fits decides.
    ...excludeHidden(request.hidden, request.path),
    ...(request.type === undefined ? [] : ['--type', request.type]),
    ...(request.ignore_case ? ['-i'] : []),
    ...(request.multiline ? ['-U', '--multiline-dotall'] : []),
    ...(encoding === undefined ? [] : ['--encoding', encoding]),
    ...(content ? ['--line-number', '-B', String(request.before), '-A', String(request.after)] : []),
    ...(content && request.only_matching ? ['--only-matching'] : []),
    ...(request.mode === 'count' ? ['--count'] : []),
    ...(request.mode === 'files_with_matches' ? ['--files-with-matches'] : []),
    '-e',
    request.pattern,
    '--',
  ]
}

interface MatchReader {
  readonly push: (chunk: Buffer) => void
  /** More was found than is kept. */
  readonly isFull: () => boolean
  readonly end: () => readonly FileHits[]
}

/** Matches in withheld files are dropped before anything else. */
function createReader(
  mode: GrepRequest['mode'],
  toPath: SearchedPlace['toPath'],
  isWithheld: GrepRequest['isWithheld'],
): MatchReader {
  const files = new Map<string, { lines: (HitLine | undefined)[]; count: number }>()
  const withheld = new Map<string, boolean>()
  let rest: Buffer = Buffer.alloc(0)
  let gap = false
  let bytes = 0

  function fileOf(name: Uint8Array): { lines: (HitLine | undefined)[]; count: number } | undefined {
    const path = toPath(showPath(name))
    const isDropped = withheld.get(path) ?? isWithheld?.(path) ?? false
    withheld.set(path, isDropped)
    if (isDropped) return undefined
    bytes += name.length
    const known = files.get(path) ?? { lines: [], count: 0 }
    files.set(path, known)
    return known
  }

  function take(record: Buffer): void {
    const at = record.indexOf(0)
    if (at === -1) {
      if (isGap(record)) gap = true
      return
    }
    const file = fileOf(record.subarray(0, at))
    if (!file) return
    bytes += record.length - at
    const text = record.subarray(at + 1).toString()
    if (mode === 'count') file.count = Number(text)
    else addLine(file.lines, text)
  }

  function addLine(lines: (HitLine | undefined)[], text: string): void {
    const found = /^(\d+)([:-])(.*)$/s.exec(text)
    if (!found) return
    if (gap && lines.length > 0) lines.push(undefined)
    gap = false
    lines.push({
      number: Number(found[1]),
      match: found[2] === ':',
      text: (found[3] ?? '').replace(/\r$/, ''),
    })
  }

  /** With --null a file list has no line breaks at all: names end in NUL. */
  const separator = mode === 'files_with_matches' ? 0 : 10
  return {
    push(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let from = 0
      for (let at = nextEnd(rest, separator, from); at !== -1; at = nextEnd(rest, separator, from)) {
        const record = rest.subarray(from, at)
        if (separator === 0) fileOf(record)
        else take(record)
        from = at + 1
      }
      rest = Buffer.from(rest.subarray(from))
    },
    isFull: () => bytes > MAX_BYTES,
    end() {
      if (rest.length > 0 && separator === 10) take(rest)
      return [...files].map(([path, { lines, count }]) => ({ path, lines, count }))
    },
  }
}

/** Between groups of lines; with `--crlf` its line ends that way. */
const isGap = (record: Buffer): boolean => /^--\r?$/.test(record.toString('latin1'))

/** A line break before the NUL belongs to the file's name. */
function nextEnd(buffer: Buffer, separator: number, from: number): number {
  const at = buffer.indexOf(separator, from)
  if (separator === 0 || at === -1) return at
  const nul = buffer.indexOf(0, from)
  if (nul === -1 || nul < at) return at
  // `--` is alone on its line and has no NUL.
  if (isGap(buffer.subarray(from, at))) return at
  return buffer.indexOf(separator, nul)
}
