/** The prompt that a session's models get: GET /api/sessions/:id/context. */
import { createHash } from 'node:crypto'
import type { SessionState } from '@toolwire/core'
import { findSession } from '../find-session.ts'
import { defineRoute } from '../http/route.ts'
import { json, SESSION_ERRORS } from '../openapi/operation.ts'
import { SessionContextView } from '../openapi/shapes/context-shapes.ts'

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
  }
}
