/** One call: cancels it while others continue, and sends its whole output where a message holds a part of it. */
import { AppError } from '@toolwire/core'
import { cancelCall } from '@toolwire/session'
import { z } from 'zod'
import { defineRoute, type Route } from '../http/route.ts'
import { sendFile } from '../http/send-file.ts'
import { empty, json, raw, SESSION_ERRORS } from '../openapi/operation.ts'
import { CancelledCall } from '../openapi/shapes/tool-shapes.ts'
import { findSession } from '../sessions/find-session.ts'

const CancelBody = z.object({ reason: z.string().min(1).max(1000).nullish() })

export const callRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/calls/:call/cancel',
    scope: 'write',
    id: 'cancelCall',
    tag: 'Sessions',
    summary: 'Stop one call; other calls continue',
    body: CancelBody.meta({ id: 'Cancel' }),
    isBodyOptional: true,
    errors: ['bad_request', 'call_not_found', ...SESSION_ERRORS],
    responses: { 200: json(CancelledCall, '`cancelled` is false when the call had ended before.') },
    handle: async (exchange, context) => {
      const { id, call: call_id } = exchange.params
      const row = await findSession(context, id)
      const { reason } = exchange.parseBody()
      const cancelled = await cancelCall(context.sessions, row.id, call_id, reason ?? 'stopped by the user')
      return { session_id: row.id, call_id, cancelled }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/artifacts/:call',
    scope: 'read',
    id: 'getArtifact',
    tag: 'Sessions',
    summary: 'The whole output of a call whose message holds only a part',
    headers: ['Range'],
    errors: ['not_found', ...SESSION_ERRORS],
    responses: {
      200: raw('text/plain', 'All of it.'),
      206: raw('text/plain', 'The part that was asked for.'),
      416: empty('There is no such part.'),
    },
    handle: async (exchange, context) => {
      const row = await findSession(context, exchange.params.id)
      const path = context.ports.artifactFile?.(row.id, exchange.params.call)
      if (path === undefined) throw new AppError('not_found', 'This server keeps no outputs.')
      const file = context.ports.openFile(path)
      return await sendFile(exchange, file, 'This call left no output beside its message.')
    },
  }),
]
