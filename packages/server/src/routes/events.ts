/** Reading a session: its events through any wire, its messages, its whole log. */
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError, toEnvelope } from '@toolwire/core'
import { readPages } from '@toolwire/session'
import {
  canonicalWire,
  chatWire,
  completionWire,
  deduplicatingWire,
  messagesWire,
  parseBody,
  threadWire,
  type Wire,
} from '@toolwire/wire'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { answerStream, readPosition } from '../answer-stream.ts'
import type { ServerContext } from '../context.ts'
import { findSession } from '../find-session.ts'
import { toSessionView } from '../session-view.ts'
import { SSE_HEADERS } from '../sse.ts'

/** An export is sent in pieces of about so many characters. */
const PIECE_CHARS = 65_536

/** A session can be watched through any of them, regardless of its requests' wire. */
const WIRES = {
  chat: chatWire,
  thread: threadWire,
  canonical: canonicalWire,
  'openai-chat': completionWire,
  'anthropic-messages': messagesWire,
} as const satisfies Record<string, Wire>
const WIRE_NAMES = Object.keys(WIRES) as (keyof typeof WIRES)[]
/** Wires whose readers accept a reset; those of vendors' clients have none. */
const CAN_RESET: ReadonlySet<string> = new Set(['canonical', 'chat', 'thread'])

export const EventsQuery = z.object({
  wire: z.enum(WIRE_NAMES).default('canonical'),
  after: z.string().max(512).optional(),
  follow: z.enum(['true', 'false', '1', '0', '']).optional(),
  /** Of the canonical wire: leave out arguments that this stream has carried already. */
  repeats: z.enum(['omit']).optional(),
})

type IdParams = { Params: { id: string } }

export function addEventRoutes(app: FastifyInstance, context: ServerContext): void {
  app.get<IdParams>('/api/sessions/:id/events', { exposeHeadRoute: false }, async (request, reply) => {
    const query = parseBody(EventsQuery, request.query)
    const row = await findSession(context, request.params.id)
    const position = readPosition(context, request, query.after, row)
    if (position.reset && !CAN_RESET.has(query.wire)) throw new AppError('log_reset')
    const isOpenEnded = query.follow === 'true' || query.follow === '1' || query.follow === ''
    // A reader behind it is catching up; from there on it is live.
    reply.header('x-session-head', row.head)
    const plan = {
      session: row.id,
      wire: wireOf(query, position.cursor.seq),
      ...position,
      target: { kind: 'session' },
      isOpenEnded,
    } as const
    return await answerStream(context, reply, plan, isOpenEnded)
  })

  app.head<IdParams>('/api/sessions/:id/events', async (request, reply) => {
    await findSession(context, request.params.id)
    return await reply.headers(SSE_HEADERS).send()
  })

  app.get<IdParams>('/api/sessions/:id/messages', async request => {
    const row = await findSession(context, request.params.id)
    const state = await context.sessions.state(row.id)
    return { session_id: row.id, messages: state.messages }
  })

  app.get<IdParams>('/api/sessions/:id/export', async (request, reply) => {
    const row = await findSession(context, request.params.id)
    const view = toSessionView(row, await context.sessions.facts(row.id))
    reply.header('content-disposition', `attachment; filename="session-${row.id}.json"`)
    return await reply
      .type('application/json; charset=utf-8')
      .send(Readable.from(exported(context, view, row.head)))
  })
}

const wireOf = ({ wire, repeats }: z.infer<typeof EventsQuery>, after: number): Wire =>
  wire === 'canonical' && repeats === 'omit' ? deduplicatingWire(after) : WIRES[wire]

/** The log in pieces, up to the head at the time of the request. Other requests get their turn between two pieces. */
async function* exported(
  context: ServerContext,
  view: { readonly id: string },
  head: number,
): AsyncGenerator<string> {
  yield `{"version":1,"session":${JSON.stringify(view)},"events":[`
  let separator = '\n'
  let piece = ''
  for await (const records of readPages(context.sessions.reader, view.id, { after: 0, head })) {
    for (const rec of records) {
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
