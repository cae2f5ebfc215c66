/**
 * The AI SDK's chat over HTTP. The dialect is in the path, because no request names it; the bare path is dialect 6.
 * A page sends its list of messages; new user messages and answers to open calls are appended, the log is the truth.
 */
import { AppError, type Facts, type Follow, isBusy, readPages, START } from '@toolwire/core'
import { cancelSession, yieldToLoop } from '@toolwire/session'
import {
  AiSdkBody,
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
import { selectShownRecords } from '../branches/branch-records.ts'
import { findMessage } from '../branches/locate-message.ts'
import type { ServerContext } from '../context.ts'
import { adoptAlias, findAlias } from '../front-end/alias-session.ts'
import { HistoryQuery } from '../front-end/history-query.ts'
import { openAnswers, recordPageAnswers } from '../front-end/page-answers.ts'
import { type PageHistory, type PageMessage, sendFromPage } from '../front-end/page-version.ts'
import type { Exchange } from '../http/exchange.ts'
import { readIdempotencyKey } from '../http/idempotency-key.ts'
import { emptyReply, type Reply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { empty, json, QUEUE_ERRORS, stream } from '../openapi/operation.ts'
import { ChatMessages, ChatStopped, UiChunkFrame } from '../openapi/shapes/front-end-shapes.ts'
import { checkModels } from '../sessions/check-models.ts'
import { answerStream, type StreamPlan } from '../stream/answer-stream.ts'

/** Base path, suffix of the operations' ids, package in the description, and dialect. */
const BASES = [
  ['/api', '', 'ai 6', 6],
  ['/api/ai/v5', 'V5', 'ai 5', 5],
  ['/api/ai/v6', 'V6', 'ai 6', 6],
  ['/api/ai/v7', 'V7', 'ai 7', 7],
] as const satisfies readonly (readonly [string, string, string, AiSdkDialect])[]
/** Errors of a message that starts a run, or waits. */
const STARTING_ERRORS = [
  'bad_request',
  'unknown_model',
  'missing_key',
  'conflict',
  'run_not_found',
  'limit_reached',
  ...QUEUE_ERRORS,
] as const

const toRoutes = ([base, suffix, name, dialect]: (typeof BASES)[number]): readonly Route[] => [
  defineRoute({
    method: 'POST',
    path: `${base}/chat`,
    scope: 'write',
    id: `sendUiMessages${suffix}`,
    tag: 'Front ends',
    summary: `Send a message or answers from a page of ${name}, and read the response`,
    description: 'Only new user messages and answers to open calls are read from the list.',
    headers: ['Idempotency-Key'],
    errorShape: 'text',
    query: HistoryQuery,
    body: AiSdkBody.meta({ id: `UiMessages${suffix}` }),
    errors: [...STARTING_ERRORS, 'session_deleted', 'shutting_down'],
    responses: { 200: stream(UiChunkFrame, 'The UI message stream; it ends with `[DONE]`.') },
    handle: async (exchange, context) => {
      const command = decodeAiSdkRequest(exchange.body)
      context.streams.check()
      const plan =
        command.users.length === 0
          ? await continueMessage(context, command, dialect)
          : await sendMessage(context, exchange, { ...command, ...exchange.parseQuery() }, dialect)
      return await sendStream(context, exchange, plan)
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${base}/chat/:id/stream`,
    scope: 'read',
    id: `resumeUiStream${suffix}`,
    tag: 'Front ends',
    summary: `Resume the running response in a page of ${name}`,
    errorShape: 'text',
    errors: ['shutting_down', 'run_not_found'],
    responses: {
      200: stream(UiChunkFrame, 'The whole message, from its start.'),
      204: empty('Nothing runs.'),
    },
    head: false,
    handle: async (exchange, context) => {
      const row = await findAlias(context, exchange.params.id)
      const facts = row && (await context.sessions.facts(row.id))
      const conversation_id = facts && runningExchange(facts)
      if (!row || conversation_id === undefined) return emptyReply(204)
      const wire = withOptions(aiSdkWire(dialect), { resumed_at: row.head })
      const plan = toPlan(row.id, wire, { kind: 'conversation', conversation_id })
      return await sendStream(context, exchange, plan)
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${base}/chat/:id/stop`,
    scope: 'write',
    id: `stopUiChat${suffix}`,
    tag: 'Front ends',
    summary: 'Stop the running response',
    errorShape: 'text',
    responses: { 200: json(ChatStopped, 'Whether anything was stopped.') },
    handle: async (exchange, context) => {
      const row = await findAlias(context, exchange.params.id)
      return { stopped: row ? await cancelSession(context.sessions, row.id, 'stopped by the user') : false }
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${base}/chat/:id/messages`,
    scope: 'read',
    id: `listUiMessages${suffix}`,
    tag: 'Front ends',
    summary: `List the messages of a chat as a page of ${name} has them`,
    errorShape: 'text',
    responses: { 200: json(ChatMessages, 'The messages; an unknown chat has none.') },
    handle: async (exchange, context) => {
      const row = await findAlias(context, exchange.params.id)
      return { messages: row ? await readMessages(context, row.id, dialect) : [] }
    },
  }),
]

export const aiSdkRoutes: readonly Route[] = BASES.flatMap(toRoutes)

async function sendStream(
  context: ServerContext,
  exchange: Exchange,
  plan: StreamPlan,
): Promise<Reply | undefined> {
  exchange.setHeader('x-vercel-ai-ui-message-stream', 'v1')
  exchange.setHeader('x-session-id', plan.session)
  return await answerStream(context, exchange, plan, false)
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

/**
 * A message of the same id and content is the same request: it joins the run that answers it. Another answer, an edit,
 * and a list that ends earlier than the conversation open a branch.
 */
async function sendMessage(
  context: ServerContext,
  exchange: Exchange,
  command: AiSdkRequest & { readonly history?: PageHistory | undefined },
  dialect: AiSdkDialect,
): Promise<StreamPlan> {
  const input = toInput(context, command)
  checkModels(context, input)
  const session = await adoptAlias(context, command.chat_id, { model: command.model })
  const newest = command.users.at(-1)
  const intent = await intentOf(context, session, command)
  const run = await sendFromPage(context, {
    session,
    input,
    earlier: command.isSingle ? [] : earlierIds(command),
    texts: command.texts,
    history: command.isSingle ? 'append' : command.history,
    intent,
    interrupt:
      command.message_id !== undefined && (intent === 'regenerate' || command.message_id === newest?.id),
    key: readIdempotencyKey(exchange),
    guard: command.guard,
  })
  if (run.branch_id !== undefined) exchange.setHeader('x-toolwire-branch', run.branch_id)
  const target: Follow = { kind: 'conversation', conversation_id: run.run_id }
  return { ...toPlan(session, aiSdkWire(dialect), target), after: run.seq - 1 }
}

/** A request for another answer while the first one runs is a retry after a cut, unless it names the answer. */
async function intentOf(
  context: ServerContext,
  session: string,
  { isRegenerate, message_id, users }: AiSdkRequest,
): Promise<PageMessage['intent']> {
  const newest = users.at(-1)?.id
  if (!isRegenerate) return message_id !== undefined && message_id === newest ? 'edit' : 'send'
  if (message_id !== undefined || newest === undefined) return 'regenerate'
  const known = findMessage(await context.sessions.state(session), newest)
  const run = known?.exchange?.conversation_id
  return run === undefined || (await isOpen(context, session, run)) ? 'send' : 'regenerate'
}

const earlierIds = ({ list }: AiSdkRequest): readonly string[] =>
  list.slice(0, -1).flatMap(({ id, role }) => (role === 'user' && id !== undefined ? [id] : []))

/** True while the run is queued, runs or waits. */
async function isOpen(context: ServerContext, session: string, run_id: string): Promise<boolean> {
  const facts = await context.sessions.facts(session)
  return facts.open.includes(run_id) || (facts.isPaused && facts.conversation_id === run_id)
}

function toInput({ settings }: ServerContext, { users, tools, model, fields }: AiSdkRequest): MessageInput {
  const newest = users.at(-1)
  const content = newest?.content ?? []
  if (content.length === 0)
    throw new AppError('bad_request', 'messages: the last message has no text and no file')
  const taken = tools?.find(tool => settings.toolNames.includes(tool.name))
  if (taken) throw new AppError('bad_request', `tools: the server has a tool "${taken.name}" itself`)
  return {
    type: 'input.message',
    role: 'user',
    content: [...content],
    via: { protocol: 'ai-sdk' },
    ...(newest?.id === undefined ? {} : { client_message_id: newest.id }),
    ...(tools ? { client_tools: [...tools] } : {}),
    ...(model === undefined ? {} : { model }),
    ...fields,
  }
}

async function readMessages(context: ServerContext, session: string, dialect: AiSdkDialect) {
  const fold = createMessageFold(dialect, session)
  const select = await selectShownRecords(context, session)
  for await (const records of readPages(context.sessions.reader, session, { after: 0 })) {
    for (const rec of records.flatMap(select)) fold.step(rec)
    await yieldToLoop()
  }
  return fold.messages()
}
