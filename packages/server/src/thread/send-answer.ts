/** A folded response as JSON; a run that failed is an HTTP error that still names its thread. */
import type { ThreadAnswer } from '@toolwire/wire'
import { type Reply, reply } from '../http/reply.ts'

export function toAnswerReply(answer: ThreadAnswer, request_id: string): Reply {
  const { error, ...rest } = answer
  if (!error) return reply(200, rest)
  const { status_code, ...problem } = error
  return reply(status_code, { error: { ...problem, request_id }, ...rest })
}
