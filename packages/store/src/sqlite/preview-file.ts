/**
 * The first storage of owners' previews: two files beside the database, written by the main thread into the
 * system's cache, so that a preview waits for no thread, transaction or disk. It survives a kill and may be lost
 * with the power. Invariant: content of these files that the database lacks is always the end of a session. Any
 * other write of a session includes its previews (batch.ts), so no fact on disk can follow a lost preview.
 */
import { closeSync, existsSync, ftruncateSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { openPrivateFile } from '../private-files.ts'
import { decodeRecent, encodeRecent, type RecentEntry } from './recent.ts'

/** An entry with the id of its session: a number alone could mean another session in a database put in its place. */
export interface NamedEntry extends RecentEntry {
  readonly id: string
}

export interface PreviewFile {
  /** Stores the entries. Throws what the system throws, and then nothing of them is stored. */
  readonly append: (entries: readonly NamedEntry[]) => void
  /** Bytes written since the files were last known to hold nothing of worth. */
  readonly size: () => number
  /**
   * To be called before everything stored so far is copied to the database; call the result when it is there.
   * What is appended in between stays.
   */
  readonly seal: () => () => void
  /** Leaves the files, or removes them when `settled`. */
  readonly close: (settled: boolean) => void
}

const HEADER_BYTES = 8
const pathsOf = (database: string): readonly [string, string] => [
  `${database}-previews-0`,
  `${database}-previews-1`,
]

interface Half {
  readonly path: string
  readonly fd: number
  end: number
}

/** Both files must have been recovered: what they hold is dropped. Throws what the system throws. */
export function openPreviewFile(database: string): PreviewFile {
  const [first, second] = pathsOf(database).map(path => ({ path, fd: openPrivateFile(path), end: 0 }))
  let active = first as Half
  let other = second as Half

  function empty(half: Half): void {
    ftruncateSync(half.fd, 0)
    half.end = 0
  }
  return {
    append(entries) {
      const bytes = encodeFrame(entries)
      try {
        for (let at = 0; at < bytes.length; )
          at += writeSync(active.fd, bytes, at, bytes.length - at, active.end + at)
      } catch (error) {
        ftruncateSync(active.fd, active.end)
        throw error
      }
      active.end += bytes.length
    },
    size: () => active.end + other.end,
    seal() {
      // After a copy that failed, the other file still waits for the next one.
      if (other.end === 0) [active, other] = [other, active]
      const sealed = other
      return () => empty(sealed)
    },
    close(settled) {
      for (const { fd, path } of [active, other]) {
        closeSync(fd)
        if (settled) rmSync(path, { force: true })
      }
    },
  }
}

/** Entries left by a process that ended without closing, in order. A damaged end is dropped. */
export function readPreviews(database: string): readonly NamedEntry[] {
  const entries = pathsOf(database).flatMap(path =>
    existsSync(path) ? decodeFrames(readFileSync(path)) : [],
  )
  // The files are not ordered by age; within a session, seq gives the order.
  return entries.sort((a, b) => a.seq - b.seq)
}

/** True if these files hold entries, or did when their process ended. */
export const hasPreviews = (database: string): boolean => pathsOf(database).some(path => existsSync(path))

/** To be called once what they held is safe in the database. */
export function dropPreviews(database: string): void {
  for (const path of pathsOf(database)) rmSync(path, { force: true })
}

/** Length and checksum, then the ids and a row of entries (recent.ts). */
function encodeFrame(entries: readonly NamedEntry[]): Buffer {
  const text = `${JSON.stringify(entries.map(entry => entry.id))}\n${encodeRecent(entries)}`
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + Buffer.byteLength(text))
  bytes.write(text, HEADER_BYTES)
  bytes.writeUInt32LE(bytes.length - HEADER_BYTES, 0)
  bytes.writeUInt32LE(crc32(bytes.subarray(HEADER_BYTES)), 4)
  return bytes
}

function decodeFrames(bytes: Buffer): readonly NamedEntry[] {
  const entries: NamedEntry[] = []
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const from = at + HEADER_BYTES
    const to = from + bytes.readUInt32LE(at)
    // A block that never reached the disk reads as zeros: no length, and the checksum of nothing.
    if (to === from || to > bytes.length || crc32(bytes.subarray(from, to)) !== bytes.readUInt32LE(at + 4))
      break
    for (const entry of decodeFrame(bytes.toString('utf8', from, to))) entries.push(entry)
    at = to
  }
  return entries
}

function decodeFrame(text: string): readonly NamedEntry[] {
  const line = text.indexOf('\n')
  const ids = JSON.parse(text.slice(0, line)) as readonly string[]
  return decodeRecent(text.slice(line + 1)).map((entry, i) => ({ ...entry, id: ids[i] ?? '' }))
}
