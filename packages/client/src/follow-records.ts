/** The session's log over the canonical wire, as records. */
import { readEnvelope, type ViewRecord } from '@toolwire/core/view'
import type { Backoff } from './backoff.ts'
import { type ConnectionChange, followFrames } from './follow-frames.ts'
import type { Http } from './http.ts'
import type { Frame } from './read-frames.ts'

export interface StreamOptions {
  /** Start behind this record, or behind the frame with this id. */
  readonly after?: number | string
  /** Stay for what comes later; otherwise the stream ends when nothing runs and all is read. Yes by default. */
  readonly follow?: boolean
  readonly signal?: AbortSignal
  readonly onConnection?: (change: ConnectionChange) => void
}

export type RecordOptions = StreamOptions

export interface StreamSettings {
  readonly http: Http
  readonly silenceMs: number
  readonly backoff: Backoff
}

/** Batches of frames of one session through one wire. See `followFrames` for how it ends. */
export function sessionFrames(
  settings: StreamSettings,
  session: string,
  wire: string,
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
          wire,
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

/** Batches of records, each once and in order. */
export async function* followRecords(
  settings: StreamSettings,
  session: string,
  options: RecordOptions = {},
): AsyncGenerator<readonly ViewRecord[]> {
  let head = typeof options.after === 'number' ? options.after : 0
  for await (const frames of sessionFrames(settings, session, 'canonical', options)) {
    const records: ViewRecord[] = []
    for (const frame of frames) {
      const rec = readRecord(frame.data)
      if (!rec || rec.seq <= head) continue
      head = rec.seq
      records.push(rec)
    }
    if (records.length > 0) yield records
  }
}

/** A frame that is not a record (a newer server's) is passed over. */
function readRecord(data: string): ViewRecord | undefined {
  try {
    return readEnvelope(JSON.parse(data))
  } catch {
    return undefined
  }
}
