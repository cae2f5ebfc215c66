/** The prompt that a session's models get: /api/sessions/:id/context. */
import { createHash } from 'node:crypto'
import { AppError, type SessionState } from '@toolwire/core'
import { reply } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { json, SESSION_ERRORS } from '../openapi/operation.ts'
import { SessionContextView } from '../openapi/shapes/context-shapes.ts'
import { findSession } from '../sessions/find-session.ts'

/** Characters of a token, where no provider is asked. */
const CHARACTERS_PER_TOKEN = 4

export const contextRoute = defineRoute({
  method: 'GET',
  path: '/api/sessions/:id/context',
  scope: 'read',
  id: 'getSessionContext',
  tag: 'Sessions',
  summary: "The prompt that the session's models get",
  description:
    'Parts in the order in which they are sent. Tokens are an estimate: a quarter of the characters.',
  errors: SESSION_ERRORS,
  responses: { 200: json(SessionContextView, 'Empty before the first request of the session.') },
  handle: async (exchange, context) => {
    const row = await findSession(context, exchange.params.id)
    const state = await context.sessions.state(row.id)
    return { session_id: row.id, ...toContextView(state) }
  },
})

export const refreshContextRoute = defineRoute({
  method: 'POST',
  path: '/api/sessions/:id/context/refresh',
  scope: 'write',
  id: 'refreshSessionContext',
  tag: 'Sessions',
  summary: 'Record the prompt of the session again',
  description:
    'The next request records instruction files and facts as they are then, as a new generation. Until then the prompt stays as it is.',
  errors: [...SESSION_ERRORS, 'conflict'],
  responses: { 202: json(SessionContextView, 'The prompt as it still is.') },
  handle: async (exchange, context) => {
    const row = await findSession(context, exchange.params.id)
    const { created } = await context.sessions.state(row.id)
    if (!created?.context) throw new AppError('conflict', 'This session has no prompt of the server.')
    const ts = context.clock.now().toISOString()
    const event = { type: 'session.updated', ts, refresh_context: true } as const
    await context.sessions.append({ writes: [{ session: row.id, events: [event] }], wakes: false })
    const view = toContextView(await context.sessions.state(row.id))
    return reply(202, { session_id: row.id, ...view })
  },
})

/** Parts in the order in which they are sent. A session without a recorded prompt has its own `system` alone. Pure. */
function toContextView({ context, created }: SessionState) {
  const recorded = context?.parts ?? []
  const own = created?.system
  const parts =
    context || own === undefined
      ? recorded.map(({ key, text, sha256, source, rules }) => ({
          key,
          text,
          sha256,
          source,
          ...(rules ? { rules } : {}),
        }))
      : [
          {
            key: 'system',
            text: own,
            sha256: createHash('sha256').update(own).digest('hex'),
            source: 'request',
          },
        ]
  const measured = parts.map(part => ({
    ...part,
    bytes: Buffer.byteLength(part.text),
    tokens: Math.ceil(part.text.length / CHARACTERS_PER_TOKEN),
  }))
  return {
    generation: context?.generation ?? 0,
    parts: measured,
    tokens: measured.reduce((sum, part) => sum + part.tokens, 0),
    skipped: context?.skipped ?? [],
    warnings: context?.warnings ?? [],
    is_stale: context?.is_stale ?? false,
  }
}
