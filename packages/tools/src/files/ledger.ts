/**
 * The session's knowledge of each file, kept in its notes: content hash, seen lines, charset. Invariant: a file
 * may be changed only if the part to be changed was seen and the content is unchanged since. The hash decides;
 * times are only a shortcut.
 */
import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import type { ToolContext } from '@toolwire/core'
import { LARGEST_WRITTEN, readWhole } from '../safe-files/open-file.ts'

export interface LedgerEntry {
  /** Absent for files too large to be read whole: then size and time decide. */
  readonly sha256?: string
  readonly size: number
  readonly mtime: number
  /** Seen lines as inclusive 1-based ranges, ascending and apart; `all` when the whole file was. */
  readonly seen: 'all' | readonly (readonly [number, number])[]
  readonly charset?: string
  readonly eol?: string
  readonly bom?: boolean
  /** A change of the file that was already sent to the model. */
  readonly told?: number
}

const NOTE = 'file:'

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** `path` is canonical, here and below. */
export function entryOf(context: ToolContext, path: string): LedgerEntry | undefined {
  return context.notes.get(NOTE + path) as LedgerEntry | undefined
}

/** The content of a file for a question about it; undefined unless the session has read or written the file. */
export const readKnown = async (context: ToolContext, path: string): Promise<Buffer | undefined> =>
  entryOf(context, path) && (await readWhole(path))

/** Every file the session has read or written, canonical. */
export const knownFiles = (context: ToolContext): readonly string[] =>
  context.notes.names(NOTE).map(name => name.slice(NOTE.length))

/** Adds to the seen lines if the content is unchanged; otherwise starts again. */
export function recordSeen(context: ToolContext, path: string, entry: LedgerEntry): void {
  const before = entryOf(context, path)
  const same =
    before !== undefined &&
    before.size === entry.size &&
    before.sha256 === entry.sha256 &&
    (entry.sha256 !== undefined || before.mtime === entry.mtime)
  const seen = same ? union(before.seen, entry.seen) : entry.seen
  context.notes.set(NOTE + path, { ...entry, seen })
}

/** The session wrote the file itself: `seen` is what it knows of the new content. */
export function recordWritten(context: ToolContext, path: string, entry: LedgerEntry): void {
  context.notes.set(NOTE + path, entry)
}

/** The file is not what was seen. Reads it only when its size or time differ. */
export async function isStale(entry: LedgerEntry, path: string, bytes?: Uint8Array): Promise<boolean> {
  if (bytes) return entry.sha256 === undefined ? bytes.length !== entry.size : hashOf(bytes) !== entry.sha256
  const now = await stat(path).catch(() => undefined)
  if (!now) return true
  if (now.size === entry.size && now.mtimeMs === entry.mtime) return false
  if (entry.sha256 === undefined || now.size !== entry.size) return true
  return hashOf(await readWhole(path, LARGEST_WRITTEN)) !== entry.sha256
}

export function isSeen(entry: LedgerEntry, first: number, last: number): boolean {
  return entry.seen === 'all' || entry.seen.some(([from, to]) => from <= first && last <= to)
}

/** The seen lines after lines `first`…`last` were replaced by `count` lines, 0 if removed. */
export function shiftSeen(
  seen: LedgerEntry['seen'],
  first: number,
  last: number,
  count: number,
): LedgerEntry['seen'] {
  if (seen === 'all') return 'all'
  const delta = count - (last - first + 1)
  const moved = seen.flatMap(([from, to]): (readonly [number, number])[] => {
    if (to < first) return [[from, to]]
    if (from > last) return [[from + delta, to + delta]]
    return [[Math.min(from, first), Math.max(to + delta, first + count - 1)]]
  })
  return union(
    moved.filter(([from, to]) => from <= to),
    count > 0 ? [[first, first + count - 1]] : [],
  )
}

/** Files that were read and have changed since, once per change: a line for the model, or nothing. */
export async function changedFilesNote(context: ToolContext): Promise<readonly string[]> {
  const changed: string[] = []
  for (const path of knownFiles(context)) {
    const entry = entryOf(context, path)
    const now = await stat(path).catch(() => undefined)
    if (!entry || (now && now.mtimeMs === entry.mtime && now.size === entry.size)) continue
    const mark = now?.mtimeMs ?? 0
    if (entry.told === mark || !(await isStale(entry, path).catch(() => true))) continue
    context.notes.set(NOTE + path, { ...entry, told: mark })
    changed.push(now ? path : `${path} (gone)`)
  }
  return changed.length === 0
    ? []
    : [`Files you read that have changed since: ${changed.join(', ')}. Read them again before editing.`]
}

function union(a: LedgerEntry['seen'], b: LedgerEntry['seen']): LedgerEntry['seen'] {
  if (a === 'all' || b === 'all') return 'all'
  const merged: [number, number][] = []
  for (const [from, to] of [...a, ...b].sort((x, y) => x[0] - y[0])) {
    const last = merged.at(-1)
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged
}
