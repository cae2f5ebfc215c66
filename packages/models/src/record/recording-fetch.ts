/**
 * A fetch that keeps what it saw: one file per exchange, with the request's body, the status,
 * and the true bytes of the answer in the pieces they came in. Secrets are redacted before
 * anything is written. The caller gets the answer unchanged and undelayed.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseJson } from '../shared/json.ts'
import type { Recording } from './recording.ts'
import { redact, redactHeaders } from './redact.ts'

export interface RecordingOptions {
  readonly fetch?: typeof globalThis.fetch
  /** For file names and times; the system's clock when absent. */
  readonly now?: () => Date
}

export interface Recorder {
  readonly fetch: typeof globalThis.fetch
  /** Resolves when every answer begun so far has ended and is on disk; rejects when something could not be written. */
  readonly settled: () => Promise<void>
}

/** Makes `dir` when it is needed. Files are named by time and count, so their order is the order of requests. */
export function createRecorder(dir: string, options: RecordingOptions = {}): Recorder {
  const now = options.now ?? (() => new Date())
  const pending = new Set<Promise<void>>()
  let count = 0
  const record: typeof globalThis.fetch = async (input, init) => {
    const at = now()
    const name = `${at.toISOString().replaceAll(/[:.]/g, '-')}-${String(++count).padStart(4, '0')}.json`
    const response = await (options.fetch ?? globalThis.fetch)(input, init)
    if (!response.body) return response
    const request = { url: new URL(String(input)).pathname, body: parseJson(String(init?.body ?? '')) }
    const seen = { at: at.toISOString(), request, response }
    const { promise: heard, resolve } = Promise.withResolvers<Heard>()
    const job = heard.then(answer => keep(join(dir, name), seen, answer)).finally(() => pending.delete(job))
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

async function keep(file: string, seen: Seen, { chunks, isComplete }: Heard): Promise<void> {
  const whole = chunks.join('')
  const clean = redact(whole) as string
  const recording: Recording = {
    v: 1,
    recorded_at: seen.at,
    request: redact(seen.request) as Recording['request'],
    status: seen.response.status,
    headers: redactHeaders(seen.response.headers),
    // A secret may lie across two pieces, so it is the whole that is searched.
    chunks: clean === whole ? chunks : [clean],
    is_complete: isComplete,
  }
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${JSON.stringify(recording, null, 1)}\n`)
}

interface Heard {
  readonly chunks: readonly string[]
  readonly isComplete: boolean
}

/** The same bytes, with a copy of what was read. Not a tee: a tee loses what is queued when the reader stops early. */
function copying(
  body: ReadableStream<Uint8Array>,
  onEnd: (heard: Heard) => void,
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
