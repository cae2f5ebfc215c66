/**
 * Many concurrent readers of one server. Each requests, reads to the end, and fails if deltas are missing. Readers
 * parse only what the results need, so that they cost little beside the server.
 */
import { Agent, type IncomingMessage, request } from 'node:http'
import { type Knobs, knobsName } from './knobs.ts'
import type { Road } from './road.ts'
import { nowMicros } from './upstream-script.ts'

export interface Target {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Load {
  readonly streams: number
  readonly knobs: Partial<Knobs> & { readonly d: number }
  /** Milliseconds over which the starts are spread. */
  readonly rampMs?: number
}

export interface LoadResult {
  /** Milliseconds from the request to the first delta, one per stream. */
  readonly first_ms: readonly number[]
  /** Milliseconds from the provider's write to the reader, one per stamped delta. */
  readonly delay_ms: readonly number[]
  readonly wall_ms: number
  readonly bytes: number
  /** Server-sent events. */
  readonly frames: number
}

/**
 * Runs `load` to its end. Calls `begin` when every session exists and the first request is sent. Throws if a
 * stream fails.
 */
export async function runLoad(
  target: Target,
  road: Road,
  load: Load,
  begin: () => void = () => {},
): Promise<LoadResult> {
  const readers = await openReaders(target, road, load)
  begin()
  const started = performance.now()
  try {
    const all = await Promise.all(
      readers.map(async (read, index) => {
        if (load.rampMs) await pause((load.rampMs * index) / load.streams)
        return await read()
      }),
    )
    return {
      first_ms: all.map(one => one.first_ms),
      delay_ms: all.flatMap(one => one.delay_ms),
      wall_ms: performance.now() - started,
      bytes: all.reduce((sum, one) => sum + one.bytes, 0),
      frames: all.reduce((sum, one) => sum + one.frames, 0),
    }
  } finally {
    agentOf(target).destroy()
    agents.delete(target)
  }
}

/** Opens every stream and returns when each has its first delta; `close` drops them. */
export async function holdOpen(target: Target, road: Road, load: Load): Promise<() => void> {
  const readers = await openReaders(target, road, load)
  let ends: (() => void)[] = []
  await Promise.all(
    readers.map(async read => {
      await new Promise<void>((resolve, reject) => {
        read({ onFirst: resolve, onRequest: end => ends.push(end) }).catch(reject)
      })
    }),
  )
  return () => {
    for (const end of ends) end()
    ends = []
    agentOf(target).destroy()
    agents.delete(target)
  }
}

interface Watch {
  readonly onFirst?: () => void
  readonly onRequest?: (end: () => void) => void
}
interface StreamResult {
  readonly first_ms: number
  readonly delay_ms: readonly number[]
  readonly bytes: number
  readonly frames: number
}
type Reader = (watch?: Watch) => Promise<StreamResult>

const SESSIONS_AT_ONCE = 20

async function openReaders(target: Target, road: Road, load: Load): Promise<readonly Reader[]> {
  const model = knobsName(road.model, load.knobs)
  const sessions: (string | undefined)[] = []
  while (sessions.length < load.streams) {
    const room = Math.min(SESSIONS_AT_ONCE, load.streams - sessions.length)
    sessions.push(
      ...(await Promise.all(Array.from({ length: room }, () => road.prepare?.(target.url, model)))),
    )
  }
  return sessions.map(session => {
    const body = Buffer.from(JSON.stringify(road.body(model, session)))
    const path = (session !== undefined && road.pathOf?.(session)) || road.path
    return watch => readStream(target, { ...road, path }, body, { deltas: load.knobs.d, ...watch })
  })
}

const agents = new Map<Target, Agent>()
function agentOf(target: Target): Agent {
  const known = agents.get(target) ?? new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  agents.set(target, known)
  return known
}

function readStream(
  target: Target,
  road: Road,
  body: Buffer,
  watch: Watch & { readonly deltas: number },
): Promise<StreamResult> {
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    accept: 'text/event-stream',
    ...road.headers,
    ...target.headers,
  }
  const started = nowMicros()
  return new Promise((resolve, reject) => {
    const call = request(
      `${target.url}${road.path}`,
      { method: 'POST', headers, agent: agentOf(target) },
      response => collect(response, { started, ...watch }).then(resolve, reject),
    )
    call.on('error', reject)
    watch.onRequest?.(() => {
      call.off('error', reject)
      call.on('error', () => {})
      call.destroy()
    })
    call.end(body)
  })
}

const MARK = '~'.charCodeAt(0)
const DATA = Buffer.from('data: ')

function collect(
  response: IncomingMessage,
  watch: Watch & { readonly started: number; readonly deltas: number },
): Promise<StreamResult> {
  const stamps = createStampReader()
  let marks = 0
  let first = 0
  let bytes = 0
  let frames = 0
  let last: Buffer = Buffer.alloc(0)
  return new Promise((resolve, reject) => {
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      last = chunk
      for (let at = chunk.indexOf(MARK); at !== -1; at = chunk.indexOf(MARK, at + 1)) marks += 1
      if (first === 0 && marks > 0) {
        first = nowMicros()
        watch.onFirst?.()
      }
      for (let at = chunk.indexOf(DATA); at !== -1; at = chunk.indexOf(DATA, at + 1)) frames += 1
      stamps.take(chunk)
    })
    response.on('error', reject)
    response.on('aborted', () => reject(new Error('a stream was cut off')))
    response.on('end', () => {
      if (response.statusCode === 200 && marks >= watch.deltas)
        return resolve({ first_ms: (first - watch.started) / 1000, delay_ms: stamps.delays, bytes, frames })
      const told = `${response.statusCode}, ${marks} of ${watch.deltas} deltas`
      reject(new Error(`${told}: ${last.subarray(0, 400).toString()}`))
    })
  })
}

const AT = '@'.charCodeAt(0)
const STAMP_BYTES = 18

/** Snapshots at the end of an answer repeat its text: only a stamp later than all before counts. */
function createStampReader() {
  const delays: number[] = []
  let rest: Buffer = Buffer.alloc(0)
  let latest = 0
  function note(stamp: number, now: number): void {
    if (!(stamp > latest)) return
    latest = stamp
    delays.push((now - stamp) / 1000)
  }
  return {
    delays,
    take(chunk: Buffer): void {
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
      const now = nowMicros()
      let at = bytes.indexOf(AT)
      while (at !== -1 && at + STAMP_BYTES <= bytes.length) {
        const isStamp = bytes[at + STAMP_BYTES - 1] === AT
        if (isStamp) note(Number(bytes.toString('latin1', at + 1, at + STAMP_BYTES - 1)), now)
        at = bytes.indexOf(AT, at + (isStamp ? STAMP_BYTES : 1))
      }
      rest = at === -1 ? Buffer.alloc(0) : bytes.subarray(at)
    },
  }
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
