/**
 * AG-UI and CopilotKit over HTTP. A thread id is a name of its owner, and the log is the truth: of the messages that a
 * client repeats, only new user messages and answers to open calls are read.
 */
import { AppError } from '@toolwire/core'
import { cancelSession } from '@toolwire/session'
import { AgUiBody, decodeAgUiRequest, type InterruptReason, parseBody } from '@toolwire/wire'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { installTextErrors } from '../ai-sdk/text-errors.ts'
import { findAlias } from '../alias-session.ts'
import { answerStream } from '../answer-stream.ts'
import type { ServerContext } from '../context.ts'
import { SSE_HEADERS } from '../sse.ts'
import { connectThread } from './connect-thread.ts'
import { startRun } from './start-run.ts'

export const AgUiQuery = z.object({ interrupt_reason: z.enum(['tool_call', 'confirmation']).optional() })

/** CopilotKit's one-route form: the method, and what the other form has in its path. */
export const EnvelopeBody = z.object({
  method: z.enum(['info', 'agent/run', 'agent/connect', 'agent/stop']),
  params: z
    .object({ agentId: z.string().max(256).nullish(), threadId: z.string().max(256).nullish() })
    .nullish(),
  body: z.unknown().optional(),
})

/** Adds `/ag-ui` and `/copilotkit`. */
export function addAgUiRoutes(app: FastifyInstance, context: ServerContext): void {
  app.register(async scope => {
    installTextErrors(scope, context)
    const run = (request: FastifyRequest, reply: FastifyReply) =>
      streamRun(context, reply, request.body, reasonOf(request, 'tool_call'))
    scope.post('/ag-ui', run)
    scope.post<AgentParams>('/ag-ui/:agent', async (request, reply) => {
      mustKnow(request.params.agent)
      return await run(request, reply)
    })
    addCopilotRoutes(scope, context)
  })
}

type AgentParams = { Params: { agent: string } }

function addCopilotRoutes(app: FastifyInstance, context: ServerContext): void {
  app.get('/copilotkit/info', async () => toInfo(context))

  app.post<AgentParams>('/copilotkit/agent/:agent/run', async (request, reply) => {
    mustKnow(request.params.agent)
    return await streamRun(context, reply, request.body, reasonOf(request, 'confirmation'))
  })

  app.post<AgentParams>('/copilotkit/agent/:agent/connect', async (request, reply) => {
    mustKnow(request.params.agent)
    return await streamConnect(context, reply, request.body, reasonOf(request, 'confirmation'))
  })

  app.post<AgentParams>('/copilotkit/agent/:agent/suggest', async (request, reply) => {
    mustKnow(request.params.agent)
    return sendEmptyRun(reply, request.body)
  })

  type StopParams = { Params: { agent: string; thread: string } }
  app.post<StopParams>('/copilotkit/agent/:agent/stop/:thread', async request => {
    mustKnow(request.params.agent)
    return await stopThread(context, request.params.thread)
  })

  app.post('/copilotkit', async (request, reply) => {
    const { method, params, body } = parseBody(EnvelopeBody, request.body)
    const reason = reasonOf(request, 'confirmation')
    if (method === 'info') return toInfo(context)
    mustKnow(params?.agentId ?? 'default')
    if (method === 'agent/stop') return await stopThread(context, params?.threadId ?? '')
    return method === 'agent/run'
      ? await streamRun(context, reply, body, reason)
      : await streamConnect(context, reply, body, reason)
  })
}

/** There is one agent, the server itself. Throws `not_found` for another. */
function mustKnow(agent: string): void {
  if (agent !== 'default')
    throw new AppError('not_found', `This server has no agent ${JSON.stringify(agent)}.`)
}

const toInfo = ({ config }: ServerContext) => ({
  version: config.version,
  agents: { default: { name: 'default', description: 'The agent of this server.' } },
  mode: 'sse',
  suggestions: true,
})

const reasonOf = (request: FastifyRequest, usual: InterruptReason): InterruptReason =>
  parseBody(AgUiQuery, request.query).interrupt_reason ?? usual

async function stopThread(context: ServerContext, thread: string): Promise<{ readonly stopped: boolean }> {
  const row = await findAlias(context, thread)
  return { stopped: row ? await cancelSession(context.sessions, row.id, 'stopped by the user') : false }
}

async function streamRun(
  context: ServerContext,
  reply: FastifyReply,
  body: unknown,
  reason: InterruptReason,
): Promise<FastifyReply> {
  const request = decodeAgUiRequest(body)
  if (request.isSuggestion) return sendEmptyRun(reply, body)
  context.streams.check()
  const plan = await startRun(context, request, reason)
  return await answerStream(context, reply.header('x-session-id', plan.session), plan, true)
}

async function streamConnect(
  context: ServerContext,
  reply: FastifyReply,
  body: unknown,
  reason: InterruptReason,
): Promise<FastifyReply> {
  const request = decodeAgUiRequest(body)
  context.streams.check()
  const connected = await connectThread(context, request, reason)
  if (!connected) return await reply.code(204).send()
  if (connected.plan) return await answerStream(context, reply, connected.plan, true)
  return await reply.headers(SSE_HEADERS).send(connected.text)
}

/** Suggestions are runs on threads that no one keeps: they get no session and no model call. */
function sendEmptyRun(reply: FastifyReply, body: unknown): FastifyReply {
  const { threadId, runId } = parseBody(AgUiBody, body)
  const events = ['RUN_STARTED', 'RUN_FINISHED'].map(type => ({ type, threadId, runId }))
  const text = events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')
  return reply.headers(SSE_HEADERS).send(text)
}
