/** The session's log over the canonical wire, as records. */
import { ArgumentDeduplicator, MissingArgumentsError, yieldToBrowser } from '@toolwire/core/parts'
import { readEnvelope, type ViewRecord } from '@toolwire/core/view'
import type { Backoff } from './backoff.ts'
import { type ConnectionChange, followFrames } from './follow-frames.ts'
import type { Http } from './http.ts'
import type { Frame } from './read-frames.ts'
import { ToolwireError } from './toolwire-error.ts'

export interface StreamOptions {
  /** Start behind this record, or behind the frame with this id. */
  readonly after?: number | string
  /** Stay for what comes later; otherwise the stream ends when nothing runs and all is read. Yes by default. */
  readonly follow?: boolean
  readonly signal?: AbortSignal
  readonly onConnection?: (change: ConnectionChange) => void
}

export interface RecordOptions extends StreamOptions {
  /** Seq of the last record that the reader has, where `after` names a frame. */
  readonly head?: number
  /**
   * The log is another one than before (a restored backup, a failover that lost events): whatever was read so far is
   * void, and the records that follow begin with the first. Called between batches.
   */
  readonly onReset?: () => void
  /** Called with the id of the last frame of each processed batch: a position to resume from. */
  readonly onPlace?: (id: string) => void
}

/** Batches of records of one session. See `followRecords`. */
export type RecordSource = (options: RecordOptions) => AsyncGenerator<readonly ViewRecord[]>

export interface StreamSettings {
  readonly http: Http
  readonly silenceMs: number
  readonly maxFrame?: number | undefined
  readonly backoff: Backoff
}

/** Batches of frames of one session through one wire. See `followFrames` for how it ends. */
export function sessionFrames(
  settings: StreamSettings,
  session: string,
  wire: string | { readonly wire: string; readonly repeats?: 'omit' },
  options: StreamOptions = {},
): AsyncGenerator<readonly Frame[]> {
  const { after, follow = true, signal, onConnection } = options
  const path = `/api/sessions/${encodeURIComponent(session)}/events`
  return followFrames({
    ...settings,
    follow,
    signal,
    onConnection,
    open: (lastId, connection) =>
      settings.http.open({
        method: 'GET',
        path,
        query: {
          ...(typeof wire === 'string' ? { wire } : wire),
          ...(follow ? { follow: true } : {}),
          ...(lastId === undefined && after !== undefined && after !== 0 ? { after } : {}),
        },
        headers: {
          accept: 'text/event-stream',
          ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
        },
        signal: connection,
      }),
  })
}

/**
 * Batches of records, each once and in order, from the first again after a reset. A frame without a record is
 * skipped. Record contents are not checked: readers must survive unknown data, as the view does. Throws
 * ToolwireError as `followFrames` does, and `bad_response` if the server omits arguments that it was asked to
 * send.
 */
export async function* followRecords(
  settings: StreamSettings,
  session: string,
  options: RecordOptions = {},
): AsyncGenerator<readonly ViewRecord[]> {
  const at: RecordPosition = {
    head: typeof options.after === 'number' ? options.after : 0,
    id: options.after,
  }
  for (const wire of [SPARING, 'canonical'] as const) {
    const rest = at.id === undefined ? options : { ...options, after: at.id }
    try {
      return yield* readRecords(sessionFrames(settings, session, wire, rest), options, at)
    } catch (thrown) {
      // A server that leaves out other things than this reader can fill in: all of it, from here on.
      if (!(thrown instanceof MissingArgumentsError)) throw thrown
    }
  }
  throw new ToolwireError('bad_response', 'Arguments are left out.', { status: 200 })
}

/** Arguments come once; see ArgumentDeduplicator. */
const SPARING = { wire: 'canonical', repeats: 'omit' } as const

interface RecordPosition {
  /** Of the last record that was given out. */
  head: number
  /** Position to resume after. */
  id: number | string | undefined
}

async function* readRecords(
  batches: AsyncGenerator<readonly Frame[]>,
  options: RecordOptions,
  at: RecordPosition,
): AsyncGenerator<readonly ViewRecord[]> {
  const reading: ReadState = { done: 0, told: new ArgumentDeduplicator() }
  for await (const frames of batches) {
    for (const part of await splitAtResets(frames, reading)) {
      if (part.isReset) {
        at.head = 0
        options.onReset?.()
      }
      const fresh = part.records.filter(({ seq }) => {
        const { head } = at
        at.head = Math.max(head, seq)
        return seq > head
      })
      if (fresh.length > 0) yield fresh
    }
    // A request for the next batch means that this one was processed.
    const place = frames.at(-1)?.id
    if (place === undefined) continue
    at.id = place
    options.onPlace?.(place)
  }
}

interface Part {
  /** These records are of another log than those before. */
  readonly isReset: boolean
  readonly records: ViewRecord[]
}

/** Characters that are parsed in one go: a browser can take a key after each such piece. */
const GO = 131_072

interface ReadState {
  /** Characters since the last breath. */
  done: number
  readonly told: ArgumentDeduplicator
}

async function splitAtResets(frames: readonly Frame[], reading: ReadState): Promise<readonly Part[]> {
  const first: Part = { isReset: false, records: [] }
  const parts = [first]
  for (const { data } of frames) {
    reading.done += data.length
    if (reading.done > GO) {
      reading.done = 0
      await yieldToBrowser()
    }
    const value = parse(data)
    if (isReset(value)) parts.push({ isReset: true, records: [] })
    const rec = readEnvelope(value)
    if (rec) parts.at(-1)?.records.push({ seq: rec.seq, ev: reading.told.restoreOmitted(rec.ev) })
  }
  return parts
}

/** A frame that is no JSON (a newer server's) is passed over. */
function parse(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}

const isReset = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'log.reset'
