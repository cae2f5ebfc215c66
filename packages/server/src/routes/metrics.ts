/** Metrics for Prometheus: GET /metrics. */
import { AppError } from '@toolwire/core'
import { rawReply } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { raw } from '../openapi/operation.ts'

/** Without instruments the route does not exist. */
export const metricsRoute = defineRoute({
  method: 'GET',
  path: '/metrics',
  scope: 'metrics',
  id: 'metrics',
  tag: 'Server',
  summary: 'Figures for Prometheus',
  responses: { 200: raw('text/plain', 'In the text format, version 0.0.4.') },
  isServed: ({ instruments }) => instruments !== undefined,
  handle: async (_, { instruments }) => {
    if (!instruments) throw new AppError('not_found')
    return rawReply(200, await instruments.text(), 'text/plain; version=0.0.4; charset=utf-8')
  },
})
