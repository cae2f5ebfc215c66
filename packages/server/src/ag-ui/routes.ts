/**
 * AG-UI and CopilotKit over HTTP. A thread id is a name of its owner, and the log is the truth: of the messages that a
 * client repeats, only new user messages and answers to open calls are read.
 */
import { AppError } from '@toolwire/core'
import { cancelSession } from '@toolwire/session'
import { AgUiBody, decodeAgUiRequest, type InterruptReason } from '@toolwire/wire'
import { z } from 'zod'
import { findAgent, listAgents } from '../agents/agent-store.ts'
import type { ServerContext } from '../context.ts'
import { findAlias } from '../front-end/alias-session.ts'
import { HistoryQuery } from '../front-end/history-query.ts'
import type { Exchange } from '../http/exchange.ts'
import { emptyReply, type Reply, rawReply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { RouteContext } from '../http/route-context.ts'
import { SSE_HEADERS } from '../http/sse.ts'
import { either, empty, json, stream } from '../openapi/operation.ts'
import { AgentInfo, AgUiFrame, ChatStopped } from '../openapi/shapes/front-end-shapes.ts'
import { answerStream } from '../stream/answer-stream.ts'
import { connectThread } from './connect-thread.ts'
import { type RunSetup, startRun } from './start-run.ts'
import { sendSuggestions } from './suggest.ts'

const AgUiQuery = HistoryQuery.extend({ interrupt_reason: z.enum(['tool_call', 'confirmation']).optional() })

/** CopilotKit's one-route form: the method, and what the other form has in its path. */
const EnvelopeBody = z.object({
  method: z.enum(['info', 'agent/run', 'agent/connect', 'agent/stop']),
  params: z
    .object({ agentId: z.string().max(256).nullish(), threadId: z.string().max(256).nullish() })
    .nullish(),
  body: z.unknown().optional(),
})

const tag = 'Front ends'
const RUN_ERRORS = [
  'bad_request',
  'conflict',
  'session_running',
  'limit_reached',
  'session_deleted',
  'shutting_down',
  'not_found',
] as const
const SUGGESTION_ERRORS = [
  'unknown_model',
  'missing_key',
  'too_many_requests',
  'model_rate_limited',
  'model_overloaded',
  'model_unavailable',
  'model_timeout',
] as const
const RunInput = AgUiBody.meta({ id: 'RunAgentInput' })
const events = (text: string) => stream(AgUiFrame, text)

/** The fields that the routes of a run share. */
const RUN = {
  method: 'POST',
  scope: 'write',
  tag,
  summary: 'Run the agent for a thread, and read its events',
  errorShape: 'text',
  query: AgUiQuery,
  body: RunInput,
  errors: RUN_ERRORS,
  responses: { 200: events('The events of the run; it ends with `RUN_FINISHED` or `RUN_ERROR`.') },
} as const

export const agUiRoutes: readonly Route[] = [
  defineRoute({
    ...RUN,
    path: '/ag-ui',
    id: 'runAgUi',
    handle: async (exchange, context) =>
      await streamRun(context, exchange, exchange.body, setupOf(exchange, 'tool_call')),
  }),
  defineRoute({
    ...RUN,
    path: '/ag-ui/:agent',
    id: 'runAgUiAgent',
    handle: async (exchange, context) => {
      const agent = await findName(context, exchange.params.agent)
      return await streamRun(context, exchange, exchange.body, { ...setupOf(exchange, 'tool_call'), agent })
    },
  }),
  defineRoute({
    ...RUN,
    path: '/copilotkit/agent/:agent/run',
    id: 'runCopilotAgent',
    handle: async (exchange, context) => {
      const agent = await findName(context, exchange.params.agent)
      return await streamRun(context, exchange, exchange.body, {
        ...setupOf(exchange, 'confirmation'),
        agent,
      })
    },
  }),
  defineRoute({
    ...RUN,
    path: '/copilotkit/agent/:agent/connect',
    id: 'connectCopilotAgent',
    summary: 'Open a thread again: its messages, what waits, and the run in progress',
    responses: {
      200: events('One run with the messages, then the run in progress.'),
      204: empty('No such thread.'),
    },
    handle: async (exchange, context) => {
      await findName(context, exchange.params.agent)
      return await streamConnect(context, exchange, exchange.body, reasonOf(exchange, 'confirmation'))
    },
  }),
  defineRoute({
    ...RUN,
    path: '/copilotkit/agent/:agent/suggest',
    id: 'suggestCopilotAgent',
    summary: 'Ask for suggestions of what the user may write next',
    errors: [...RUN_ERRORS, ...SUGGESTION_ERRORS],
    responses: { 200: events('A run with one call of the tool that the page brings.') },
    handle: async (exchange, context) => {
      await findName(context, exchange.params.agent)
      return await sendSuggestions(context, exchange, exchange.body)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/copilotkit/agent/:agent/stop/:thread',
    scope: 'write',
    id: 'stopCopilotAgent',
    tag,
    summary: 'Stop the run of a thread',
    errorShape: 'text',
    errors: ['not_found'],
    responses: { 200: json(ChatStopped, 'Whether anything was stopped.') },
    handle: async (exchange, context) => {
      await findName(context, exchange.params.agent)
      return await stopThread(context, exchange.params.thread)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/copilotkit/info',
    scope: 'read',
    id: 'copilotInfo',
    tag,
    summary: 'List the agents for CopilotKit',
    errorShape: 'text',
    responses: { 200: json(AgentInfo, 'The agents.') },
    handle: async (_, context) => await toInfo(context),
  }),
  defineRoute({
    method: 'POST',
    path: '/copilotkit',
    scope: 'write',
    id: 'copilotEnvelope',
    tag,
    summary: 'The routes of CopilotKit in one: the method is in the body',
    errorShape: 'text',
    query: AgUiQuery,
    body: EnvelopeBody.meta({ id: 'CopilotEnvelope' }),
    errors: RUN_ERRORS,
    responses: {
      200: either(z.union([AgentInfo, ChatStopped]), AgUiFrame, 'As the route that the method names.'),
      204: empty('No such thread.'),
    },
    handle: async (exchange, context) => {
      const { method, params, body } = exchange.parseBody()
      const reason = reasonOf(exchange, 'confirmation')
      if (method === 'info') return await toInfo(context)
      const agent = await findName(context, params?.agentId ?? DEFAULT_AGENT)
      if (method === 'agent/stop') return await stopThread(context, params?.threadId ?? '')
      return method === 'agent/run'
        ? await streamRun(context, exchange, body, { ...setupOf(exchange, 'confirmation'), agent })
        : await streamConnect(context, exchange, body, reason)
    },
  }),
]

/** The server itself, without the settings of an agent. */
const DEFAULT_AGENT = 'default'

/** Undefined for the server itself. Throws `not_found` for an agent that the owner does not have. */
async function findName({ records, principal }: ServerContext, agent: string): Promise<string | undefined> {
  if (agent === DEFAULT_AGENT) return undefined
  if (!records) throw new AppError('not_found', `This server has no agent ${JSON.stringify(agent)}.`)
  return (await findAgent(records, principal().owner, agent)).id
}

async function toInfo({ settings, records, principal }: ServerContext) {
  const agents = records ? await listAgents(records, principal().owner) : []
  const active = agents.filter(({ archived_at }) => archived_at === undefined).map(({ name }) => name)
  return {
    version: settings.version,
    agents: {
      ...Object.fromEntries(active.map(name => [name, { name, description: '' }])),
      [DEFAULT_AGENT]: { name: DEFAULT_AGENT, description: 'The agent of this server.' },
    },
    mode: 'sse',
    suggestions: true,
  } as const
}

const setupOf = (
  exchange: { parseQuery(): z.output<typeof AgUiQuery> },
  usual: InterruptReason,
): RunSetup => ({ reason: reasonOf(exchange, usual), history: exchange.parseQuery().history })

const reasonOf = (
  exchange: { parseQuery(): z.output<typeof AgUiQuery> },
  usual: InterruptReason,
): InterruptReason => exchange.parseQuery().interrupt_reason ?? usual

async function stopThread(context: ServerContext, thread: string): Promise<{ readonly stopped: boolean }> {
  const row = await findAlias(context, thread)
  return { stopped: row ? await cancelSession(context.sessions, row.id, 'stopped by the user') : false }
}

async function streamRun(
  context: RouteContext,
  exchange: Exchange,
  body: unknown,
  setup: RunSetup,
): Promise<Reply | undefined> {
  const request = decodeAgUiRequest(body)
  if (request.isSuggestion) return await sendSuggestions(context, exchange, body)
  context.streams.check()
  const { branch_id, ...plan } = await startRun(context, request, setup)
  exchange.setHeader('x-session-id', plan.session)
  if (branch_id !== undefined) exchange.setHeader('x-toolwire-branch', branch_id)
  return await answerStream(context, exchange, plan, true)
}

async function streamConnect(
  context: ServerContext,
  exchange: Exchange,
  body: unknown,
  reason: InterruptReason,
): Promise<Reply | undefined> {
  const request = decodeAgUiRequest(body)
  context.streams.check()
  const connected = await connectThread(context, request, reason)
  if (!connected) return emptyReply(204)
  if (connected.plan) return await answerStream(context, exchange, connected.plan, true)
  exchange.setHeaders(SSE_HEADERS)
  return rawReply(200, connected.text)
}
