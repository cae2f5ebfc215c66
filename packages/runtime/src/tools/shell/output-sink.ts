/**
 * Collects a command's output in constant memory: the two ends in memory, everything in a
 * file once it no longer fits. Both streams arrive interleaved; each is also kept by itself.
 */
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'

const NEWS = 32_000
const SNIFF = 4_096

export interface CollectedOutput {
  /** The whole text, or its two ends when `spilled`. */
  readonly text: string
  readonly stdout: string
  readonly stderr: string
  readonly chars: number
  readonly lines: number
  readonly bytes: number
  /** Binary data: counted, not shown. */
  readonly binary: boolean
  /** Where everything is, when it did not fit. */
  readonly spilled: string | undefined
}

export interface OutputSink {
  /** Reads a stream to its end; pauses it while the disk lags. */
  readonly attach: (stream: Readable, name: 'stdout' | 'stderr') => void
  /** What has arrived since the last call, at most its last `max` characters. */
  readonly news: (max: number) => string
  /** Resolves when everything attached has ended. */
  readonly ended: Promise<void>
  readonly collected: () => CollectedOutput
  /** Writes everything to the file from now on, also what fits in memory. */
  readonly spill: () => string
  /** Flushes and closes the file. Idempotent. */
  readonly close: () => Promise<void>
}

export function createOutputSink(path: string, limit: number): OutputSink {
  const all = createEnds(limit)
  const parts = { stdout: createEnds(limit), stderr: createEnds(limit) }
  let news = ''
  let bytes = 0
  let binary = false
  let file: WriteStream | undefined
  let open = 0
  let finish = (): void => {}
  const ended = new Promise<void>(resolve => {
    finish = resolve
  })

  function spill(): string {
    if (!file) {
      mkdirSync(dirname(path), { recursive: true })
      file = createWriteStream(path)
      // A full disk must not end the command: what is in memory is still told.
      file.on('error', () => {})
      file.write(all.text())
    }
    return path
  }

  function add(name: 'stdout' | 'stderr', text: string): boolean {
    news = (news + text).slice(-NEWS)
    if (!file && all.length() + text.length > limit) spill()
    all.add(text)
    parts[name].add(text)
    return file ? file.write(text) || file.destroyed : true
  }

  function attach(stream: Readable, name: 'stdout' | 'stderr'): void {
    open++
    const decoder = new TextDecoder()
    stream.on('data', (chunk: Buffer) => {
      if (bytes < SNIFF && chunk.subarray(0, SNIFF - bytes).includes(0)) binary = true
      bytes += chunk.length
      if (add(name, decoder.decode(chunk, { stream: true }))) return
      stream.pause()
      file?.once('drain', () => stream.resume())
    })
    stream.on('error', () => {})
    stream.once('close', () => {
      add(name, decoder.decode())
      if (--open === 0) finish()
    })
  }

  return {
    attach,
    spill,
    ended,
    news(max) {
      const text = news.slice(-max)
      news = ''
      return binary ? '' : text
    },
    collected: () => ({
      text: all.text(),
      stdout: parts.stdout.text(),
      stderr: parts.stderr.text(),
      chars: all.length(),
      lines: all.lines(),
      bytes,
      binary,
      spilled: file ? path : undefined,
    }),
    close: () => new Promise(resolve => (file && !file.destroyed ? file.end(() => resolve()) : resolve())),
  }
}

interface Ends {
  readonly add: (text: string) => void
  readonly text: () => string
  readonly length: () => number
  readonly lines: () => number
}

/** Keeps a third of `limit` from the front and `limit` from the back: more than any cut of it shows. */
function createEnds(limit: number): Ends {
  const room = Math.ceil(limit / 3)
  let head = ''
  let tail = ''
  let length = 0
  let breaks = 0
  let last = ''
  return {
    add(text) {
      if (text === '') return
      length += text.length
      for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) breaks++
      last = text.at(-1) ?? last
      const free = room - head.length
      if (free > 0) head += text.slice(0, free)
      const rest = free > 0 ? text.slice(free) : text
      // Cut rarely: a slice per chunk would copy the tail every time.
      tail += rest
      if (tail.length > limit * 2) tail = tail.slice(-limit)
    },
    text: () => (head.length + tail.length === length ? head + tail : head + tail.slice(-limit)),
    length: () => length,
    lines: () => breaks + (length > 0 && last !== '\n' ? 1 : 0),
  }
}
