/**
 * The possible contents of a disk after a power loss: the system calls of a program, from strace, replayed up to
 * any moment. Writes before a finished fsync of their file are there; each of the rest may be there or not.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

export type Call =
  | { readonly type: 'write'; readonly file: string; readonly at: number; readonly bytes: Buffer }
  | { readonly type: 'truncate'; readonly file: string; readonly size: number }
  | { readonly type: 'remove'; readonly file: string }
  /** Everything that was called before `since` is on the disk now. */
  | { readonly type: 'sync'; readonly file: string; readonly since: number }
  | { readonly type: 'said'; readonly line: string }

/** Arguments of strace that `readTrace` understands; the program follows. */
export const STRACE = (out: string): readonly string[] => [
  ...['-f', '-y', '-xx', '-s', '100000', '-e', 'signal=none', '-o', out],
  ...['-e', 'trace=pwrite64,write,ftruncate,unlink,fsync,fdatasync'],
]

/** The calls that concern files of `folder`, and what the program said, in order. Throws for what it cannot read. */
export function readTrace(trace: string, folder: string): readonly Call[] {
  const calls: Call[] = []
  /** Syncs that were begun, by thread: they count when they are finished. */
  const begun = new Map<string, { readonly file: string; readonly since: number }>()
  for (const line of readFileSync(trace, 'utf8').split('\n')) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    if (/^<\.\.\. f(data)?sync resumed>/.test(rest)) {
      const sync = begun.get(thread)
      if (sync) calls.push({ type: 'sync', ...sync })
      continue
    }
    const call = toCall(rest, folder, calls.length)
    if (!call) continue
    if (call.type === 'sync' && rest.includes('<unfinished')) begun.set(thread, call)
    else calls.push(call)
  }
  return calls
}

function toCall(text: string, folder: string, since: number): Call | undefined {
  const said = /^write\(1<[^>]*>, "((?:\\x..)*)"/.exec(text)
  if (said) return { type: 'said', line: toBytes(said[1]).toString().trim() }
  const removed = /^unlink\("((?:\\x..)*)"/.exec(text)
  const name = removed ? toBytes(removed[1]).toString() : (/^\w+\(\d+<([^>]*)>/.exec(text)?.[1] ?? '')
  const path = name.includes('\\x') ? toBytes(name).toString() : name
  if (!path.startsWith(`${folder}/`)) return undefined
  const file = basename(path)
  if (removed) return { type: 'remove', file }
  if (/^f(data)?sync/.test(text)) return { type: 'sync', file, since }
  const size = /^ftruncate\(\d+<[^>]*>, (\d+)/.exec(text)?.[1]
  if (size !== undefined) return { type: 'truncate', file, size: Number(size) }
  const [, bytes, length, at = '0'] =
    /^p?write(?:64)?\(\d+<[^>]*>, "((?:\\x..)*)", (\d+)(?:, (\d+))?/.exec(text) ?? []
  const given = toBytes(bytes)
  if (given.length !== Number(length)) throw new Error(`not a whole call: ${text.slice(0, 200)}`)
  return { type: 'write', file, at: Number(at), bytes: given }
}

const toBytes = (escaped = ''): Buffer => Buffer.from(escaped.replaceAll('\\x', ''), 'hex')

/** Files without lasting worth: maps of memory and locks. */
const isOnDisk = (file: string): boolean => !/-shm$|\.lock/.test(file)

/**
 * Writes into `folder` what the first `end` calls may have left: `keep` decides for each of those that no sync covers.
 * A file whose removal is lost is there again.
 */
export function loseUnsynced(calls: readonly Call[], end: number, folder: string, keep: () => boolean): void {
  mkdirSync(folder, { recursive: true })
  const synced = new Map<string, number>()
  for (const call of calls.slice(0, end)) if (call.type === 'sync') synced.set(call.file, call.since)
  const files = new Map<string, Buffer>()
  for (const [i, call] of calls.slice(0, end).entries()) {
    if (call.type === 'said' || call.type === 'sync' || !isOnDisk(call.file)) continue
    if (i >= (synced.get(call.file) ?? 0) && !keep()) continue
    const before = files.get(call.file) ?? Buffer.alloc(0)
    if (call.type === 'remove') files.delete(call.file)
    else files.set(call.file, call.type === 'write' ? written(before, call) : resized(before, call.size))
  }
  for (const [file, bytes] of files) writeFileSync(join(folder, file), bytes)
}

function written(before: Buffer, { at, bytes }: Extract<Call, { type: 'write' }>): Buffer {
  const after = resized(before, Math.max(before.length, at + bytes.length))
  bytes.copy(after, at)
  return after
}

function resized(before: Buffer, size: number): Buffer {
  const after = Buffer.alloc(size)
  before.copy(after, 0, 0, Math.min(size, before.length))
  return after
}
