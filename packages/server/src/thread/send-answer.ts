/** A folded answer as JSON; a run that failed is an HTTP error that still names its thread. */
import type { ThreadAnswer } from '@toolwire/wire'
import type { FastifyReply, FastifyRequest } from 'fastify'

export function sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: ThreadAnswer): FastifyReply {
  const { error, ...rest } = answer
  if (!error) return reply.send(rest)
  const { status_code, ...told } = error
  return reply.code(status_code).send({ error: { ...told, request_id: request.id }, ...rest })
}
