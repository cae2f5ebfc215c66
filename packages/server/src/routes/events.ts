/** Reading a session: its events through any wire, its messages, its whole log. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  AppError,
  activeBranch,
  hasBranch,
  MAIN_BRANCH,
  messagesOf,
  readPages,
  toEnvelope,
} from '@toolwire/core'
import {
  agUiWire,
  aiSdkWire,
  canonicalWire,
  chatWire,
  completionWire,
  deduplicatingWire,
  messagesWire,
  responsesWire,
  threadWire,
  type Wire,
} from '@toolwire/wire'
import { z } from 'zod'
import { type SelectRecord, selectBranchRecords } from '../branches/branch-records.ts'
import type { ServerContext } from '../context.ts'
import { emptyReply, JSON_TYPE, streamReply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { SSE_HEADERS } from '../http/sse.ts'
import { empty, json, SESSION_ERRORS, stream } from '../openapi/operation.ts'
import { SessionExport, SessionMessages } from '../openapi/shapes/session-shapes.ts'
import { AnyFrame } from '../openapi/shapes/stream-shapes.ts'
import { findSession } from '../sessions/find-session.ts'
import { toSessionView } from '../sessions/session-view.ts'
import { answerStream, readPosition } from '../stream/answer-stream.ts'

/** An export is sent in pieces of about so many characters. */
const PIECE_CHARS = 65_536

/** A session can be watched through any of them, regardless of its requests' wire. */
const WIRES = {
  chat: chatWire,
  thread: threadWire,
  canonical: canonicalWire,
  'openai-chat': completionWire,
  'anthropic-messages': messagesWire,
  'openai-responses': responsesWire,
  'ai-sdk-5': aiSdkWire(5),
  'ai-sdk-6': aiSdkWire(6),
  'ai-sdk-7': aiSdkWire(7),
  'ag-ui': agUiWire,
} as const satisfies Record<string, Wire>
const WIRE_NAMES = Object.keys(WIRES) as (keyof typeof WIRES)[]
/** Wires whose readers accept a reset; those of vendors' clients have none. */
const CAN_RESET: ReadonlySet<string> = new Set(['canonical', 'chat', 'thread'])

const EventsQuery = z.object({
  wire: z.enum(WIRE_NAMES).default('canonical'),
  after: z.string().max(512).optional(),
  follow: z.enum(['true', 'false', '1', '0', '']).optional(),
  /** Of the canonical wire: leave out arguments that this stream has carried already. */
  repeats: z.enum(['omit']).optional(),
})

const BranchQuery = z.object({ branch: z.string().min(1).max(256).optional() })
const allRecords: SelectRecord = rec => [rec]

export const eventRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/events',
    scope: 'read',
    id: 'streamEvents',
    tag: 'Sessions',
    summary: 'Read a session through any wire, and follow it',
    query: EventsQuery,
    headers: ['Last-Event-ID'],
    errors: ['bad_request', 'invalid_cursor', 'log_reset', ...SESSION_ERRORS],
    responses: {
      200: stream(AnyFrame, 'Events of the chosen wire, from the cursor on.'),
      204: empty('Nothing is left to read.'),
    },
    handle: async (exchange, context) => {
      const query = exchange.parseQuery()
      const row = await findSession(context, exchange.params.id)
      const position = readPosition(context, exchange, query.after, row)
      if (position.reset && !CAN_RESET.has(query.wire)) throw new AppError('log_reset')
      const isOpenEnded = query.follow === 'true' || query.follow === '1' || query.follow === ''
      // A reader behind it is catching up; from there on it is live.
      exchange.setHeader('x-session-head', row.head)
      const plan = {
        session: row.id,
        wire: wireOf(query, position.cursor.seq),
        ...position,
        target: { kind: 'session' },
        isOpenEnded,
      } as const
      return await answerStream(context, exchange, plan, isOpenEnded)
    },
    head: async (exchange, context) => {
      await findSession(context, exchange.params.id)
      exchange.setHeaders(SSE_HEADERS)
      return emptyReply(200)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/messages',
    scope: 'read',
    id: 'listMessages',
    tag: 'Sessions',
    summary: 'The conversation as a model sees it',
    query: BranchQuery,
    errors: ['bad_request', 'branch_not_found', ...SESSION_ERRORS],
    responses: { 200: json(SessionMessages, 'All messages.') },
    handle: async (exchange, context) => {
      const row = await findSession(context, exchange.params.id)
      const state = await context.sessions.state(row.id)
      const { branch = activeBranch(state.branches) } = exchange.parseQuery()
      if (!hasBranch(state.branches, branch)) throw new AppError('branch_not_found')
      return { session_id: row.id, messages: messagesOf(state, branch) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/export',
    scope: 'read',
    id: 'exportSession',
    tag: 'Sessions',
    summary: 'The whole log of a session, or of one branch',
    query: BranchQuery,
    errors: ['bad_request', 'branch_not_found', ...SESSION_ERRORS],
    responses: { 200: json(SessionExport, 'Every event up to now.') },
    handle: async (exchange, context) => {
      const row = await findSession(context, exchange.params.id)
      const facts = await context.sessions.facts(row.id)
      const { branch } = exchange.parseQuery()
      if (!hasBranch(facts.branches, branch ?? MAIN_BRANCH)) throw new AppError('branch_not_found')
      const view = toSessionView(row, facts)
      const select = branch === undefined ? allRecords : await selectBranchRecords(context, row, branch)
      exchange.setHeader('content-disposition', `attachment; filename="session-${row.id}.json"`)
      return streamReply(200, exported(context, view, { head: row.head, select }), JSON_TYPE)
    },
  }),
]

const wireOf = ({ wire, repeats }: z.infer<typeof EventsQuery>, after: number): Wire =>
  wire === 'canonical' && repeats === 'omit' ? deduplicatingWire(after) : WIRES[wire]

/** The log in pieces, up to the head at the time of the request. Other requests get their turn between two pieces. */
async function* exported(
  context: ServerContext,
  view: { readonly id: string },
  { head, select }: { readonly head: number; readonly select: SelectRecord },
): AsyncGenerator<string> {
  yield `{"version":1,"session":${JSON.stringify(view)},"events":[`
  let separator = '\n'
  let piece = ''
  for await (const records of readPages(context.sessions.reader, view.id, { after: 0, head })) {
    for (const rec of records.flatMap(select)) {
      piece += separator + JSON.stringify(toEnvelope(view.id, rec))
      separator = ',\n'
      if (piece.length < PIECE_CHARS) continue
      yield piece
      piece = ''
      await nextTurn()
    }
  }
  yield `${piece}\n]}\n`
}
