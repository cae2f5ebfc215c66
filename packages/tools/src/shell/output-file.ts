/** The file of a command's output, within the call's share of the disk: beyond it, the end of the output and what is missing. */
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import type { DiskShare } from '@toolwire/core'
import { openFreshSync } from '../safe-files/put-file.ts'
import { createRing } from './byte-ends.ts'

/** Bytes of the end that a file has which could not take everything. */
const END_BYTES = 32_000

export interface OutputFile {
  /** Creates the file if it is missing. */
  readonly begin: () => void
  /** False while the disk lags; then `onDrain` says when it can continue. */
  readonly write: (chunk: Uint8Array) => boolean
  readonly onDrain: (resume: () => void) => void
  /** Bytes from the front that the file has. */
  readonly stored: () => number
  /** The file could not be written, as on a full disk. */
  readonly isBroken: () => boolean
  /** Flushes and closes the file, and removes it unless it is to be kept. Idempotent; never throws. */
  readonly close: (keep: boolean) => Promise<void>
}

export function createOutputFile(path: string, openTo = openStream, disk?: DiskShare): OutputFile {
  const beyond = createRing(END_BYTES)
  let file: Writable | undefined
  let hasBegun = false
  let isBroken = false
  let waiting: (() => void)[] = []
  let stored = 0
  let missing = 0

  function begin(): void {
    if (hasBegun) return
    hasBegun = true
    try {
      file = openTo(path)
      // A full disk must not end the process: what is in memory is still shown.
      file.on('error', () => {
        isBroken = true
      })
      // A stream that failed never drains.
      file.on('drain', resumeAll).on('close', resumeAll)
    } catch {
      isBroken = true
    }
  }

  function resumeAll(): void {
    const resumes = waiting
    waiting = []
    for (const resume of resumes) resume()
  }

  /** Bytes of the next chunk that go into the file: none after the first that did not fit. */
  function roomFor(bytes: number): number {
    if (missing > 0 || !file || file.destroyed) return 0
    return disk?.take(bytes) ?? bytes
  }

  return {
    begin,
    write(chunk) {
      begin()
      const room = roomFor(chunk.length)
      stored += room
      missing += chunk.length - room
      if (room < chunk.length) beyond.add(chunk.subarray(room))
      if (room === 0 || !file) return true
      return file.write(chunk.subarray(0, room)) || file.destroyed
    },
    onDrain(resume) {
      if (!file || file.destroyed) resume()
      else waiting.push(resume)
    },
    stored: () => stored,
    isBroken: () => isBroken,
    async close(keep) {
      const opened = file
      file = undefined
      if (!opened) return
      const end =
        missing === 0 ? '' : `\n[${missing} bytes are not here; the last ${beyond.bytes().length}:]\n`
      await new Promise<void>(resolve => {
        if (opened.destroyed) return resolve()
        opened.end(Buffer.concat([Buffer.from(end), beyond.bytes()]), () => resolve())
      })
      if (keep) return
      await rm(path, { force: true }).catch(() => {})
      disk?.giveBack(stored)
    },
  }
}

const openStream = (path: string): Writable => createWriteStream(path, { fd: openFreshSync(path) })
