/** The client: the session API, streams, and live sessions, over one transport. */
import type { ViewRecord } from '@toolwire/core/view'
import { BACKOFF, type Backoff } from './backoff.ts'
import { createFileApi } from './file-api.ts'
import {
  followRecords,
  type RecordOptions,
  type RecordSource,
  type StreamOptions,
  sessionFrames,
} from './follow-records.ts'
import { createHttp } from './http.ts'
import { LiveSession } from './live-session.ts'
import { createPermissionApi } from './permission-api.ts'
import type { Frame } from './read-frames.ts'
import { createSessionApi } from './session-api.ts'
import { createTokenApi } from './token-api.ts'
import { createTokenSource, type TokenCallback } from './token-source.ts'
import type { ToolwireError } from './toolwire-error.ts'

export interface ClientOptions {
  /** Base URL of the server; '' (the page's own origin) by default. */
  readonly baseUrl?: string
  readonly apiKey?: string
  /**
   * Instead of a key: returns a browser token or a JSON web token, from the application's own server. One call serves
   * many requests; it is repeated before the token expires, and once when the server refuses it.
   */
  readonly token?: TokenCallback
  /** Further headers, asked for before every request. */
  readonly headers?: () => Readonly<Record<string, string>>
  readonly fetch?: typeof fetch
  /** Repetitions of a request that may be repeated; 5 by default. Streams are always resumed. */
  readonly retries?: number
  readonly backoff?: Partial<Backoff>
  /** Silence after which a stream counts as dead; 25 seconds by default (the server speaks every 10). */
  readonly silenceMs?: number
  /** Characters of one frame of a stream; a longer one ends it with `frame_too_large`. A hundred million by default. */
  readonly maxFrame?: number
  /** Live sessions publish at most this often; every 16 ms by default. */
  readonly frameMs?: number
  /** A page out of sight for this long lets go of sessions in which nothing happens; a minute by default. */
  readonly hiddenMs?: number
  /**
   * Shares streams between live sessions of several tabs: `shareStreams` of `@toolwire/client/shared-stream`.
   * Separate streams by default. `about` identifies session, server and key: only equal ones share.
   */
  readonly share?: (records: RecordSource, about: () => string) => RecordSource
  /** Called with errors that no caller awaits: outputs of client tools that could not be delivered. */
  readonly onError?: (error: ToolwireError) => void
}

export type Client = ReturnType<typeof createClient>

/** Makes no request by itself. `close` ends the live sessions that it handed out. */
export function createClient(options: ClientOptions = {}) {
  const backoff = { ...BACKOFF, ...options.backoff }
  const http = createHttp({
    baseUrl: options.baseUrl ?? '',
    apiKey: options.apiKey,
    tokens: options.token && createTokenSource(options.token),
    headers: options.headers,
    // Called through a wrapper: browsers refuse a fetch that has lost its window.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    retries: options.retries ?? 5,
    backoff,
  })
  const settings = { http, backoff, silenceMs: options.silenceMs ?? 25_000, maxFrame: options.maxFrame }
  const api = createSessionApi(http)
  const live = new Map<string, LiveSession>()
  // Tabs do not know if their callbacks are for the same user.
  const share = (!options.token && options.share) || (records => records)
  const about = (id: string) => JSON.stringify([id, options.baseUrl, options.apiKey, options.headers?.()])
  return {
    sessions: api,
    send: api.send,
    pending: api.pending,
    approve: api.approve,
    deny: api.deny,
    answer: api.answer,
    tools: api.tools,
    permissions: createPermissionApi(http),
    files: createFileApi(http),
    tokens: createTokenApi(http),
    /** Records of a session's log, each once and in order, over lost connections. Throws for a final refusal. */
    async *events(session: string, events: RecordOptions = {}): AsyncGenerator<ViewRecord> {
      for await (const batch of followRecords(settings, session, events)) yield* batch
    },
    /** The session as another wire shows it: `chat`, `thread`, `canonical`. */
    async *frames(session: string, wire: string, frames: StreamOptions = {}): AsyncGenerator<Frame> {
      for await (const batch of sessionFrames(settings, session, wire, frames)) yield* batch
    },
    /** The session as a live store; the same one for the same id. It connects on the first subscription. */
    session(id: string): LiveSession {
      const known = live.get(id)
      if (known) return known
      const made = new LiveSession({
        id,
        api,
        records: share(
          given => followRecords(settings, id, given),
          () => about(id),
        ),
        frameMs: options.frameMs ?? 16,
        hiddenMs: options.hiddenMs ?? 60_000,
        onError: options.onError ?? (() => {}),
      })
      live.set(id, made)
      return made
    },
    close(): void {
      for (const session of live.values()) session.close()
      live.clear()
    },
  }
}
