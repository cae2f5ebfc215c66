/** HEAD /, which some clients of Anthropic send to their base URL before the first request. */
import { emptyReply } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { empty } from '../openapi/operation.ts'

export const rootProbeRoute = defineRoute({
  method: 'HEAD',
  path: '/',
  scope: 'open',
  id: 'probeRoot',
  tag: 'Gateway',
  summary: 'Whether the server responds',
  responses: { 200: empty('It does.') },
  handle: async () => emptyReply(200),
})
