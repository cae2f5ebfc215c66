/** The prompt that a session's models get: GET /api/sessions/:id/context. */
import { createHash } from 'node:crypto'
import type { SessionState } from '@toolwire/core'
import type { FastifyInstance } from 'fastify'
import type { ServerContext } from '../context.ts'
import { findSession } from '../find-session.ts'

/** Characters of a token, where no provider is asked. */
const CHARACTERS_PER_TOKEN = 4

export function addContextRoute(app: FastifyInstance, context: ServerContext): void {
  app.get<{ Params: { id: string } }>('/api/sessions/:id/context', async request => {
    const row = await findSession(context, request.params.id)
    const state = await context.sessions.state(row.id)
    return { session_id: row.id, ...toContextView(state) }
  })
}

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
