/**
 * Collects a command's output in constant memory: the two ends in memory, everything in a
 * file from the first byte on, byte for byte. The file of an output that fits is removed at the
 * end. Both streams arrive interleaved, never inside a character; each is also kept by itself.
 */
import type { Readable, Writable } from 'node:stream'
import type { DiskShare } from '@toolwire/core'
import { createByteEnds, createRing, openAtEnd, wholeEnd } from './byte-ends.ts'
import { createOutputFile } from './output-file.ts'

const NEWS = 32_000
const SNIFF = 4_096

export interface CollectedOutput {
  /** The whole text, or its two ends when not `whole`. */
  readonly text: string
  readonly whole: boolean
  readonly stdout: string
  readonly stderr: string
  readonly chars: number
  readonly lines: number
  readonly bytes: number
  /** Binary data: counted, not shown. */
  readonly binary: boolean
  /** The path of the whole output, if it did not fit. */
  readonly spilled: string | undefined
  /** Bytes from the front that the file has: fewer than `bytes` beyond the quota. */
  readonly stored: number
  /** The file could not be written. */
  readonly isBroken: boolean
}

export interface OutputSink {
  /** Reads a stream to its end; pauses it while the disk lags. */
  readonly attach: (stream: Readable, name: 'stdout' | 'stderr') => void
  /** Output since the last call, at most its last `max` characters. */
  readonly news: (max: number) => string
  /** Resolves when there is more output than a call may have. */
  readonly flooded: Promise<void>
  /** Resolves when everything attached has ended. */
  readonly ended: Promise<void>
  readonly collected: () => CollectedOutput
  /** Keeps the file, also when everything fits in memory. */
  readonly spill: () => string
  /** Flushes and closes the file, and removes it when nothing needs it. Idempotent. */
  readonly close: () => Promise<void>
}

/** `limit` is how many characters the two ends may show: a third of it is kept from the front, all of it from the back. */
export function createOutputSink(
  path: string,
  limit: number,
  openTo?: (path: string) => Writable,
  disk?: DiskShare,
): OutputSink {
  const ends = () => createByteEnds(Math.ceil(limit / 3), limit)
  const all = ends()
  const parts = { stdout: ends(), stderr: ends() }
  const news = createRing(NEWS)
  const count = createCount()
  let binary = false
  const file = createOutputFile(path, openTo, disk)
  const flood = Promise.withResolvers<void>()
  let isKept = false
  let open = 0
  let finish = (): void => {}
  const ended = new Promise<void>(resolve => {
    finish = resolve
  })

  /** False when the disk lags. */
  function add(name: 'stdout' | 'stderr', chunk: Uint8Array): boolean {
    if (chunk.length === 0) return true
    count.add(chunk)
    news.add(chunk)
    isKept ||= count.chars() > limit
    all.add(chunk)
    parts[name].add(chunk)
    if (disk && count.bytes() > disk.limit) flood.resolve()
    return file.write(chunk)
  }

  function attach(stream: Readable, name: 'stdout' | 'stderr'): void {
    open++
    let carried = Buffer.alloc(0)
    stream.on('data', (chunk: Buffer) => {
      if (count.bytes() < SNIFF && chunk.subarray(0, SNIFF - count.bytes()).includes(0)) binary = true
      const bytes = carried.length === 0 ? chunk : Buffer.concat([carried, chunk])
      const split = bytes.length - openAtEnd(bytes)
      carried = Buffer.from(bytes.subarray(split))
      if (add(name, bytes.subarray(0, split))) return
      stream.pause()
      file.onDrain(() => stream.resume())
    })
    stream.on('error', () => {})
    stream.once('close', () => {
      add(name, carried)
      if (--open === 0) finish()
    })
  }

  return {
    attach,
    spill() {
      isKept = true
      file.begin()
      return path
    },
    ended,
    flooded: flood.promise,
    news(max) {
      const text = wholeEnd(news.bytes()).toString('utf8').slice(-max)
      news.clear()
      return binary ? '' : text
    },
    collected: () => ({
      text: all.text(),
      whole: all.isWhole(),
      stdout: parts.stdout.text(),
      stderr: parts.stderr.text(),
      chars: count.chars(),
      lines: count.lines(),
      bytes: count.bytes(),
      binary,
      spilled: isKept ? path : undefined,
      stored: file.stored(),
      isBroken: file.isBroken(),
    }),
    close: () => file.close(isKept),
  }
}

interface Count {
  readonly add: (chunk: Uint8Array) => void
  readonly bytes: () => number
  /** UTF-16 code units, as `length` counts them. */
  readonly chars: () => number
  readonly lines: () => number
}

function createCount(): Count {
  let bytes = 0
  let chars = 0
  let breaks = 0
  let last = 0
  return {
    add(chunk) {
      bytes += chunk.length
      for (let i = 0; i < chunk.length; i++) {
        const byte = chunk[i] ?? 0
        if (byte === 10) breaks++
        if ((byte & 0xc0) !== 0x80) chars += byte >= 0xf0 ? 2 : 1
      }
      last = chunk.at(-1) ?? last
    },
    bytes: () => bytes,
    chars: () => chars,
    lines: () => breaks + (bytes > 0 && last !== 10 ? 1 : 0),
  }
}
