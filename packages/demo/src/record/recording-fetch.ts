/**
 * A fetch that keeps what it saw: one file per exchange, with the request's body, the status,
 * and the true bytes of the answer in the pieces they came in. Secrets are redacted before
 * anything is written. The caller gets the answer unchanged and undelayed.
 */
import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseJson } from '@toolwire/core'
import type { Recording } from './recording.ts'
import { redact, redactHeaders } from './redact.ts'

export interface RecordingOptions {
  readonly fetch?: typeof globalThis.fetch
  /** For file names and times; the system's clock when absent. */
  readonly now?: () => Date
  /** Bytes that the folder may hold; 1 GiB when absent. An exchange beyond it is not kept. */
  readonly maxBytes?: number | undefined
  /** Called once, when the first exchange is not kept. */
  readonly onFull?: () => void
}

const MAX_BYTES = 1024 ** 3

export interface Recorder {
  readonly fetch: typeof globalThis.fetch
  /** Resolves when every answer begun so far has ended and is on disk; rejects when something could not be written. */
  readonly settled: () => Promise<void>
}

/** Makes `dir` when it is needed. Files are named by time and count, so their order is the order of requests. */
export function createRecorder(dir: string, options: RecordingOptions = {}): Recorder {
  const now = options.now ?? (() => new Date())
  const pending = new Set<Promise<void>>()
  const room = createRoom(dir, options.maxBytes ?? MAX_BYTES, options.onFull)
  let count = 0
  const record: typeof globalThis.fetch = async (input, init) => {
    const at = now()
    const name = `${at.toISOString().replaceAll(/[:.]/g, '-')}-${String(++count).padStart(4, '0')}.json`
    const response = await (options.fetch ?? globalThis.fetch)(input, init)
    if (!response.body) return response
    const request = { url: new URL(String(input)).pathname, body: parseJson(String(init?.body ?? '')) }
    const seen = { at: at.toISOString(), request, response }
    const { promise: heard, resolve } = Promise.withResolvers<RecordedBody>()
    const job = heard
      .then(answer => keep(join(dir, name), toRecording(seen, answer), room))
      .finally(() => pending.delete(job))
    pending.add(job)
    // Reported by `settled`; without this a full disk would end the process.
    job.catch(() => undefined)
    const copied = copying(response.body, resolve)
    return new Response(copied, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    })
  }
  return {
    fetch: record,
    async settled() {
      await Promise.all(pending)
    },
  }
}

interface Seen {
  readonly at: string
  readonly request: Recording['request']
  readonly response: Response
}

/** Resolves with whether so many bytes may be written. */
type Room = (bytes: number) => Promise<boolean>

/** Measures the folder once, on first use, and counts from there. */
function createRoom(dir: string, maxBytes: number, onFull?: () => void): Room {
  let measured: Promise<number> | undefined
  let written = 0
  let isFull = false
  return async bytes => {
    measured ??= measure(dir)
    const before = await measured
    if (before + written + bytes <= maxBytes) {
      written += bytes
      return true
    }
    if (!isFull) onFull?.()
    isFull = true
    return false
  }
}

async function measure(dir: string): Promise<number> {
  let bytes = 0
  for (const name of await readdir(dir).catch(() => []))
    bytes += await lstat(join(dir, name)).then(
      found => found.size,
      () => 0,
    )
  return bytes
}

function toRecording(seen: Seen, { chunks, isComplete }: RecordedBody): Recording {
  const whole = chunks.join('')
  const clean = redact(whole) as string
  return {
    v: 1,
    recorded_at: seen.at,
    request: redact(seen.request) as Recording['request'],
    status: seen.response.status,
    headers: redactHeaders(seen.response.headers),
    // A secret may lie across two pieces, so it is the whole that is searched.
    chunks: clean === whole ? chunks : [clean],
    is_complete: isComplete,
  }
}

async function keep(file: string, recording: Recording, room: Room): Promise<void> {
  const text = `${JSON.stringify(recording, null, 1)}\n`
  if (!(await room(Buffer.byteLength(text)))) return
  // A recording holds a whole conversation: only the server's user can read it, whatever the umask is.
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await rm(file, { force: true })
  await writeFile(file, text, { flag: 'wx', mode: 0o600 })
}

interface RecordedBody {
  readonly chunks: readonly string[]
  readonly isComplete: boolean
}

/** The same bytes, with a copy of what was read. Not a tee: a tee loses what is queued when the reader stops early. */
function copying(
  body: ReadableStream<Uint8Array>,
  onEnd: (heard: RecordedBody) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const chunks: string[] = []
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) {
          onEnd({ chunks, isComplete: true })
          controller.close()
          return
        }
        chunks.push(decoder.decode(value, { stream: true }))
        controller.enqueue(value)
      } catch (error) {
        onEnd({ chunks, isComplete: false })
        controller.error(error)
      }
    },
    async cancel(reason) {
      onEnd({ chunks, isComplete: false })
      await reader.cancel(reason)
    },
  })
}
