/** The session API over HTTP: one method per route, shapes as the server sends them. */
import type { ContentPart, Effort, HistoryMessage, ToolSpec } from '@toolwire/core'
import { createAnswerApi, type ListedItem } from './answer-api.ts'
import { createBranchApi } from './branch-api.ts'
import { type Http, newKey } from './http.ts'
import { createQueueApi } from './queue-api.ts'
import { toError } from './toolwire-error.ts'

export interface SessionJson {
  readonly id: string
  readonly claude_session_id: string | null
  readonly workspace_path: string
  readonly created_at: string
  readonly updated_at: string
  readonly conversation_count: number
  readonly title: string | null
  readonly model: string
  /** Effort of thinking that models are asked for. */
  readonly effort?: string
  readonly status: 'idle' | 'running' | 'paused' | 'failed'
  readonly is_waiting_for_tool: boolean
  readonly pending: readonly ListedItem[]
  readonly thread_id: number
  readonly tags?: readonly string[]
  /** Put away: lists leave it out unless `archived` asks for it. */
  readonly archived?: boolean
}

export interface CreateSession {
  readonly title?: string
  readonly model?: string
  readonly workspace?: string
  readonly permission_mode?: string
  readonly effort?: Effort
  readonly tools?: readonly string[]
  /** Name or id of an agent: its settings apply where this request has none. */
  readonly agent?: string | { readonly id: string; readonly version?: number }
  readonly system?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

export interface ListSessions {
  readonly text?: string
  readonly status?: SessionJson['status']
  readonly tag?: string
  /** Those that were put away, and no others. */
  readonly archived?: boolean
  /** `next_cursor` of the page before. */
  readonly cursor?: string
  readonly limit?: number
  /** Size of the arguments in `pending`; complete unless `short`. */
  readonly inputs?: 'full' | 'short'
}

export interface SendOptions {
  /** Generated for every message by default. A repeated message with the same key is sent once. */
  readonly idempotencyKey?: string
  /** Client tools offered with this message. */
  readonly tools?: readonly ToolSpec[]
  readonly model?: string
  readonly max_turns?: number
  readonly max_cost_usd?: number
  /** Effort of thinking for this message. */
  readonly effort?: Effort
  readonly options?: Readonly<Record<string, unknown>>
  /** Handling of a pause that the message meets. */
  readonly if_paused?: 'supersede' | 'queue'
  /** Handling of a run that the message meets: wait for its end (default), go to its model, end it, or be refused. */
  readonly when_running?: 'queue' | 'steer' | 'interrupt' | 'reject'
  /** The message is refused unless this run is the active one. */
  readonly expected_run_id?: string
  readonly signal?: AbortSignal
  /** Retries with the same key while there is no response; none by default. */
  readonly retries?: number
}

export interface SendResult {
  /** The run that answers; absent when the server's headers cannot be read (cross-origin). */
  readonly run_id?: string
  readonly message_id?: string
  /** Handling of the message by the server. */
  readonly delivery?: 'started' | 'queued' | 'steering' | 'interrupting'
  /** Its position among the messages that wait, from 1; 0 if it does not wait. */
  readonly position?: number
  readonly idempotency_key: string
}

export interface SessionPageJson {
  readonly sessions: readonly SessionJson[]
  readonly next_cursor: string | null
}

interface Messages {
  readonly messages: readonly HistoryMessage[]
}

export interface CancelOptions {
  /** Handling of messages that wait; they stay by default. */
  readonly queued?: 'keep' | 'drop'
}

export type SessionApi = ReturnType<typeof createSessionApi>

/** All methods throw ToolwireError. Repetition after a lost connection never does a thing twice. */
export function createSessionApi(http: Http) {
  const at = (id: string, rest = ''): string => `/api/sessions/${encodeURIComponent(id)}${rest}`
  return {
    create: (options: CreateSession = {}, idempotencyKey = newKey()): Promise<SessionJson> =>
      http.json({ method: 'POST', path: '/api/sessions', body: options, key: idempotencyKey }),
    /** Last updated first. */
    list: (query: ListSessions = {}): Promise<SessionPageJson> =>
      http.json({ method: 'GET', path: '/api/sessions', query: { ...query } }),
    get: (id: string, signal?: AbortSignal): Promise<SessionJson> =>
      http.json({ method: 'GET', path: at(id), signal }),
    update: (
      id: string,
      patch: {
        readonly title?: string
        readonly model?: string
        readonly permission_mode?: string
        readonly effort?: Effort
        /** Replace those before. */
        readonly tags?: readonly string[]
        readonly archived?: boolean
      },
    ): Promise<SessionJson> => http.json({ method: 'PATCH', path: at(id), body: patch }),
    rename: (id: string, title: string): Promise<SessionJson> =>
      http.json({ method: 'PATCH', path: at(id), body: { title } }),
    /** Idempotent: a session that is already deleted counts as deleted now. */
    async delete(id: string): Promise<void> {
      try {
        await http.send({ method: 'DELETE', path: at(id) }, async () => {})
      } catch (error) {
        if (toError(error).status !== 410) throw error
      }
    },
    /** A new session with the same past up to `at`; sent once. */
    fork: (
      id: string,
      options: { readonly at?: number | string; readonly title?: string } = {},
    ): Promise<SessionJson> => http.json({ method: 'POST', path: at(id, '/fork'), body: options }),
    /** False if nothing was running. Sent once: a late retry could stop the next run. */
    async cancel(id: string, reason?: string, options: CancelOptions = {}): Promise<boolean> {
      const body = { ...options, ...(reason === undefined ? {} : { reason }) }
      const answer = await http.json<{ cancelled?: boolean }>({
        method: 'POST',
        path: at(id, '/cancel'),
        body,
      })
      return answer.cancelled !== false
    },
    /** Stops one call; other calls and the run continue. False if the call had already ended. */
    async cancelCall(id: string, callId: string, reason?: string): Promise<boolean> {
      const body = reason === undefined ? {} : { reason }
      const path = at(id, `/calls/${encodeURIComponent(callId)}/cancel`)
      const answer = await http.json<{ cancelled: boolean }>({ method: 'POST', path, body, key: newKey() })
      return answer.cancelled
    },
    /** The whole log with the session's data. */
    export: (
      id: string,
    ): Promise<{
      readonly version: number
      readonly session: SessionJson
      readonly events: readonly unknown[]
    }> => http.json({ method: 'GET', path: at(id, '/export') }),
    /** Of the active branch, or of another one. */
    async messages(id: string, branch?: string): Promise<readonly HistoryMessage[]> {
      return (await http.json<Messages>({ method: 'GET', path: at(id, '/messages'), query: { branch } }))
        .messages
    },
    /**
     * Sends a message and resolves when the server has recorded it; the session's events give the outcome. It is
     * posted once: after a lost response the events show if the message arrived, and resending it with its key
     * records it once.
     */
    async send(
      id: string,
      message: string | readonly ContentPart[],
      options: SendOptions = {},
    ): Promise<SendResult> {
      const { idempotencyKey = newKey(), signal, retries = 0, ...rest } = options
      const request = {
        method: 'POST',
        path: '/api/chat/stream',
        body: { session_id: id, message, ...rest },
        headers: { accept: 'text/event-stream' },
        key: idempotencyKey,
        signal,
        retries,
      } as const
      return await http.send(request, async response => {
        // The answer is read elsewhere; leaving it does not stop the run.
        response.body?.cancel().catch(() => {})
        return { idempotency_key: idempotencyKey, ...readSent(response.headers) }
      })
    },
    ...createQueueApi(http),
    ...createAnswerApi(http),
    ...createBranchApi(http),
  }
}

/** Headers of another origin may be hidden. */
function readSent(headers: Headers): Omit<SendResult, 'idempotency_key'> {
  const run_id = headers.get('x-run-id')
  const message_id = headers.get('x-message-id')
  const delivery = headers.get('x-delivery') as SendResult['delivery'] | null
  const position = headers.get('x-queue-position')
  return {
    ...(run_id === null ? {} : { run_id }),
    ...(message_id === null ? {} : { message_id }),
    ...(delivery === null ? {} : { delivery }),
    ...(position === null ? {} : { position: Number(position) }),
  }
}
