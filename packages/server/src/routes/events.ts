/** Reading a session: its events through any wire, its messages, its whole log. */
import { Readable } from 'node:stream'
import { AppError, toEnvelope } from '@toolwire/core'
import {
  canonicalWire,
  chatWire,
  completionWire,
  messagesWire,
  parseBody,
  sparingWire,
  threadWire,
  type Wire,
} from '@toolwire/wire'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { answerStream, readPlace } from '../answer-stream.ts'
import type { ServerContext } from '../context.ts'
import { findSession } from '../find-session.ts'
import { foldSession } from '../fold-session.ts'
import { toSessionView } from '../session-view.ts'
import { SSE_HEADERS } from '../sse.ts'

/** A session can be watched through any of them, whichever one its requests came by. */
const WIRES = {
  chat: chatWire,
  thread: threadWire,
  canonical: canonicalWire,
  'openai-chat': completionWire,
  'anthropic-messages': messagesWire,
} as const satisfies Record<string, Wire>
const WIRE_NAMES = Object.keys(WIRES) as (keyof typeof WIRES)[]
/** Wires whose readers can be told to forget what they know; those of vendors' clients have no word for it. */
const CAN_BEGIN_ANEW: ReadonlySet<string> = new Set(['canonical', 'chat', 'thread'])
const PAGE = 1000

export const EventsQuery = z.object({
  wire: z.enum(WIRE_NAMES).default('canonical'),
  after: z.string().max(512).optional(),
  follow: z.enum(['true', 'false', '1', '0', '']).optional(),
  /** Of the canonical wire: leave out arguments that this stream has carried already. */
  repeats: z.enum(['omit']).optional(),
})

type IdParams = { Params: { id: string } }

export function addEventRoutes(app: FastifyInstance, context: ServerContext): void {
  const { store } = context

  app.get<IdParams>('/api/sessions/:id/events', { exposeHeadRoute: false }, async (request, reply) => {
    const query = parseBody(EventsQuery, request.query)
    const row = await findSession(store, request.params.id)
    const place = readPlace(context, request, query.after, row)
    if (place.reset && !CAN_BEGIN_ANEW.has(query.wire)) throw new AppError('log_reset')
    const keepOpen = query.follow === 'true' || query.follow === '1' || query.follow === ''
    // A reader behind it is catching up; from there on it is live.
    reply.header('x-session-head', row.head)
    const plan = {
      session: row.id,
      wire: wireOf(query, place.cursor.seq),
      ...place,
      follow: { kind: 'session' },
      keepOpen,
    } as const
    return await answerStream(context, reply, plan, keepOpen)
  })

  app.head<IdParams>('/api/sessions/:id/events', async (request, reply) => {
    await findSession(store, request.params.id)
    return await reply.headers(SSE_HEADERS).send()
  })

  app.get<IdParams>('/api/sessions/:id/messages', async request => {
    const row = await findSession(store, request.params.id)
    const state = await foldSession(context.reader, row.id)
    return { session_id: row.id, messages: state.messages }
  })

  app.get<IdParams>('/api/sessions/:id/export', async (request, reply) => {
    const row = await findSession(store, request.params.id)
    const view = toSessionView(row, await context.summaries.get(row.id))
    reply.header('content-disposition', `attachment; filename="session-${row.id}.json"`)
    return await reply
      .type('application/json; charset=utf-8')
      .send(Readable.from(exported(context, view, row.head)))
  })
}

const wireOf = ({ wire, repeats }: z.infer<typeof EventsQuery>, after: number): Wire =>
  wire === 'canonical' && repeats === 'omit' ? sparingWire(after) : WIRES[wire]

/** The log page by page, up to the head at the time of the request. */
async function* exported(
  context: ServerContext,
  view: { readonly id: string },
  head: number,
): AsyncGenerator<string> {
  yield `{"version":1,"session":${JSON.stringify(view)},"events":[`
  let position = 0
  while (position < head) {
    const records = await context.reader.read(view.id, position, Math.min(PAGE, head - position))
    if (records.length === 0) break
    const lines = records.map(rec => JSON.stringify(toEnvelope(view.id, rec)))
    yield (position === 0 ? '\n' : ',\n') + lines.join(',\n')
    position += records.length
  }
  yield '\n]}\n'
}
