/**
 * The AI SDK's chat over HTTP. The dialect is in the path, because no request names it; the bare path is dialect 6.
 * A page sends its list of messages; new user messages and answers to open calls are appended, the log is the truth.
 */
import { AppError, type Facts, type Follow, isBusy, START } from '@toolwire/core'
import { appendMessage, cancelSession, readPages, yieldToLoop } from '@toolwire/session'
import {
  type AiSdkDialect,
  type AiSdkOptions,
  type AiSdkRequest,
  aiSdkWire,
  createMessageFold,
  decodeAiSdkRequest,
  type MessageInput,
  type Wire,
  withOptions,
} from '@toolwire/wire'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { adoptAlias, findAlias } from '../alias-session.ts'
import { answerStream, type StreamPlan } from '../answer-stream.ts'
import { checkModels } from '../check-models.ts'
import type { ServerContext } from '../context.ts'
import { readIdempotencyKey } from '../idempotency-key.ts'
import { openAnswers, recordPageAnswers } from '../page-answers.ts'
import { installTextErrors } from './text-errors.ts'

const BASES: readonly (readonly [string, AiSdkDialect])[] = [
  ['/api/ai/v5', 5],
  ['/api/ai/v6', 6],
  ['/api/ai/v7', 7],
  ['/api', 6],
]

/** Adds `{base}/chat` and the routes below it. */
export function addAiSdkRoutes(app: FastifyInstance, context: ServerContext): void {
  app.register(async scope => {
    installTextErrors(scope, context)
    for (const [base, dialect] of BASES) addBase(scope, context, base, dialect)
  })
}

type ChatParams = { Params: { id: string } }

function addBase(app: FastifyInstance, context: ServerContext, base: string, dialect: AiSdkDialect): void {
  app.post(`${base}/chat`, async (request, reply) => {
    const command = decodeAiSdkRequest(request.body)
    context.streams.check()
    const plan =
      command.users.length === 0
        ? await continueMessage(context, command, dialect)
        : await sendMessage(context, request, command, dialect)
    return await stream(context, reply, plan)
  })

  app.get<ChatParams>(`${base}/chat/:id/stream`, { exposeHeadRoute: false }, async (request, reply) => {
    const row = await findAlias(context, request.params.id)
    const facts = row && (await context.sessions.facts(row.id))
    const conversation_id = facts && runningExchange(facts)
    if (!row || conversation_id === undefined) return await reply.code(204).send()
    const wire = withOptions(aiSdkWire(dialect), { resumed_at: row.head })
    return await stream(context, reply, toPlan(row.id, wire, { kind: 'conversation', conversation_id }))
  })

  app.post<ChatParams>(`${base}/chat/:id/stop`, async request => {
    const row = await findAlias(context, request.params.id)
    return { stopped: row ? await cancelSession(context.sessions, row.id, 'stopped by the user') : false }
  })

  app.get<ChatParams>(`${base}/chat/:id/messages`, async request => {
    const row = await findAlias(context, request.params.id)
    return { messages: row ? await readMessages(context, row.id, dialect) : [] }
  })
}

async function stream(context: ServerContext, reply: FastifyReply, plan: StreamPlan): Promise<FastifyReply> {
  reply.header('x-vercel-ai-ui-message-stream', 'v1')
  reply.header('x-session-id', plan.session)
  return await answerStream(context, reply, plan, false)
}

/** The exchange that a reader joins now: the running one, or the first that is queued. */
function runningExchange(facts: Facts): string | undefined {
  if (!isBusy(facts)) return undefined
  const agents = new Set(facts.background.map(agent => agent.id))
  return facts.open.find(id => !agents.has(id)) ?? facts.conversation_id
}

const toPlan = (session: string, wire: Wire, target: Follow): StreamPlan => ({
  session,
  wire,
  target,
  cursor: START,
})

/** The page answers open calls of a message, or sends one again that has nothing new: it gets what it does not have. */
async function continueMessage(
  context: ServerContext,
  { chat_id, held, answers }: AiSdkRequest,
  dialect: AiSdkDialect,
): Promise<StreamPlan> {
  const row = await findAlias(context, chat_id)
  if (!row || !held) throw new AppError('bad_request', NOTHING_NEW)
  const before = await context.sessions.facts(row.id)
  await recordPageAnswers(context, row.id, openAnswers(before, answers), { protocol: 'ai-sdk' })
  const isResumed = isBusy(await context.sessions.facts(row.id))
  const options: AiSdkOptions = { held, ...(isResumed ? { resumed_at: row.head } : {}) }
  const wire = withOptions(aiSdkWire(dialect), { ...options })
  return toPlan(row.id, wire, { kind: 'conversation', conversation_id: held.id })
}

const NOTHING_NEW = 'messages: the last message is not from the user, and this chat does not have it'

/** A message of the same id and content is the same request: it joins the run that answers it. */
async function sendMessage(
  context: ServerContext,
  request: FastifyRequest,
  command: AiSdkRequest,
  dialect: AiSdkDialect,
): Promise<StreamPlan> {
  const newest = command.users.at(-1)
  const input = toInput(context, command)
  checkModels(context.config, input)
  const before = (await findAlias(context, command.chat_id))?.head ?? 0
  const session = await adoptAlias(context, command.chat_id, command.model)
  const key = readIdempotencyKey(request) ?? (newest?.id === undefined ? undefined : `ui:${newest.id}`)
  const { run_id, seq } = await appendMessage(context.sessions, session, input, key).catch(toEditError)
  const isKnown = seq <= before
  if (command.isRegenerate && isKnown && !(await isOpen(context, session, run_id)))
    throw new AppError('conflict', NO_REGENERATE)
  const target: Follow = { kind: 'conversation', conversation_id: run_id }
  return { ...toPlan(session, aiSdkWire(dialect), target), after: seq - 1 }
}

const NO_REGENERATE = 'This message was answered before. Send a new message to get another answer.'
const NO_EDIT = 'This message was sent before with other content. Send the new content as a new message.'

/** The same id with other content: the log keeps what was sent first. */
function toEditError(error: unknown): never {
  throw AppError.is(error) && error.code === 'conflict' ? new AppError('conflict', NO_EDIT) : error
}

/** True while the run is queued, runs or waits. */
async function isOpen(context: ServerContext, session: string, run_id: string): Promise<boolean> {
  const facts = await context.sessions.facts(session)
  return facts.open.includes(run_id) || (facts.isPaused && facts.conversation_id === run_id)
}

function toInput({ config }: ServerContext, { users, tools, model }: AiSdkRequest): MessageInput {
  const newest = users.at(-1)
  const content = newest?.content ?? []
  if (content.length === 0)
    throw new AppError('bad_request', 'messages: the last message has no text and no file')
  const taken = tools?.find(tool => config.toolNames.includes(tool.name))
  if (taken) throw new AppError('bad_request', `tools: the server has a tool "${taken.name}" itself`)
  return {
    type: 'input.message',
    role: 'user',
    content: [...content],
    via: { protocol: 'ai-sdk' },
    ...(newest?.id === undefined ? {} : { client_message_id: newest.id }),
    ...(tools ? { client_tools: [...tools] } : {}),
    ...(model === undefined ? {} : { model }),
    if_paused: 'supersede',
  }
}

async function readMessages(context: ServerContext, session: string, dialect: AiSdkDialect) {
  const fold = createMessageFold(dialect, session)
  for await (const records of readPages(context.sessions.reader, session, { after: 0 })) {
    for (const rec of records) fold.step(rec)
    await yieldToLoop()
  }
  return fold.messages()
}
