/**
 * A request that continues a response by its id and brings only what is new. The thread is the session
 * itself: it continues if it can take the request as it is, and is branched otherwise.
 */
import {
  AppError,
  type HistoryMessage,
  isBusy,
  type Rec,
  type SessionRow,
  type SessionState,
} from '@toolwire/core'
import {
  createWarnings,
  type MessagesGatewayRequest,
  pairResults,
  type ReceivedMessage,
  readMessageId,
} from '@toolwire/wire'
import { appendImport, appendResults, appendTurn, draftClosing } from './append-request.ts'
import type { Caller } from './caller.ts'
import { extendChain } from './chain.ts'
import type { BeforeAppend, GatewayContext, SavePlan, Setup, StartedAnswer } from './gateway-context.ts'
import { hasRunAfter } from './log-ahead.ts'
import { LABELS } from './session-index.ts'
import { fingerprintSetup } from './setup.ts'

/** Throws the errors that make clients send their whole history instead. */
export async function continueThread(
  context: GatewayContext,
  options: ThreadOptions,
): Promise<StartedAnswer> {
  const { request, caller, setup: asked, keep } = options
  const { row, seq } = await findThread(context, request.continues ?? '')
  const facts = await context.sessions.facts(row.id)
  const run = await runAt(context, row, seq)
  if (request.client_tools.length > 0 || request.has_instructions)
    throw rejection(
      'bad_request',
      'thread_fingerprint_mismatch',
      'tools and system are those that the thread was created with; leave them out.',
    )
  const setup: Setup = { ...asked, client_tools: run.client_tools, server_tools: facts.session?.tools ?? [] }
  const base = {
    chain: await extendChain(row.labels[LABELS.chain] ?? '', request.visible.slice(1)),
    echo: await extendChain(row.labels[LABELS.echo] ?? '', request.echo(run.client_tools).after),
    owner: caller.owner,
    setup: fingerprintSetup(setup),
    user: undefined,
    pure: setup.server_tools.length === 0,
  }
  const saveWith =
    (warnings: StartedAnswer['warnings']): BeforeAppend =>
    position =>
      keep?.({ ...base, ...position, warnings }) ?? Promise.resolve()
  const isSame = row.labels[LABELS.setup] === base.setup
  const turn = { request, setup, isSame, beforeAppend: saveWith(request.warnings) }
  // Results that a server recorded before it died lead to the same response again.
  const isRepeatable = keep && request.tail.type === 'results' && isSame
  if (isRepeatable) await keep('repeatable')
  const repeated = isRepeatable ? await appendToThread(context, row, turn) : undefined
  if (!repeated) await mustBeLatest(context, row, seq)
  const continued = repeated ?? (await appendToThread(context, row, turn))
  if (continued) return { ...base, ...continued, warnings: request.warnings }
  const repairs = createWarnings(false)
  const state = await context.sessions.state(row.id)
  const paired = pairResults([...toReceived(state), ...toNewMessages(request)], repairs)
  const warnings = [...request.warnings, ...repairs.list]
  const closing = row.labels[LABELS.owner] === caller.owner ? await draftClosing(context, row) : undefined
  const source = { ...paired, warnings, closing, beforeAppend: saveWith(warnings) }
  const started = await appendImport(context, source, setup)
  return { ...base, ...started, warnings }
}

interface ThreadOptions {
  readonly request: MessagesGatewayRequest
  readonly caller: Caller
  readonly setup: Setup
  readonly keep?: SavePlan | undefined
}

interface ThreadTurn extends Pick<ThreadOptions, 'request' | 'setup'> {
  readonly isSame: boolean
  readonly beforeAppend: BeforeAppend
}

async function appendToThread(
  context: GatewayContext,
  row: SessionRow,
  { request: { tail }, setup, isSame, beforeAppend }: ThreadTurn,
): Promise<Pick<StartedAnswer, 'session' | 'follow' | 'from'> | undefined> {
  const { protocol } = setup
  if (tail.type === 'results' && isSame)
    return await appendResults(context, row, {
      ...tail,
      joined: [tail.joined],
      by_name: false,
      protocol,
    })
  if (tail.type !== 'message') return undefined
  return await appendTurn(context, row, { content: tail.content, setup, beforeAppend })
}

async function findThread(context: GatewayContext, id: string) {
  const place = readMessageId(id)
  const row = place && (await context.index.row(place.session_id))
  if (!row || !place)
    throw rejection(
      'not_found',
      'thread_not_found',
      'No thread holds this message; send the whole conversation.',
    )
  return { row, seq: place.seq }
}

/** The run that gave the answer. */
async function runAt(context: GatewayContext, row: SessionRow, seq: number) {
  const [first]: readonly Rec[] = await context.sessions.reader.read(row.id, seq - 1, 1)
  const run = first?.ev
  if (run?.type !== 'run.started')
    throw rejection(
      'not_found',
      'thread_not_found',
      'No thread holds this message; send the whole conversation.',
    )
  return run
}

/** An answer is continued once. */
async function mustBeLatest(context: GatewayContext, row: SessionRow, seq: number): Promise<void> {
  if (isBusy(await context.sessions.facts(row.id)))
    throw rejection(
      'conflict',
      'thread_continue_in_flight',
      'The answer is being continued by another request.',
    )
  if (await hasRunAfter(context, row.id, seq))
    throw rejection('bad_request', 'thread_already_continued', 'This answer was continued before.')
}

const rejection = (code: 'conflict' | 'bad_request' | 'not_found', error_code: string, message: string) =>
  new AppError(code === 'conflict' ? 'bad_request' : code, message, { error_code })

/** The thread's history as messages of a request. */
function toReceived(state: SessionState): readonly ReceivedMessage[] {
  return state.messages.flatMap((message: HistoryMessage): readonly ReceivedMessage[] => {
    const place = 'thread'
    if (message.role !== 'tool') return [{ ...message, place }]
    return message.results.map(result => ({ role: 'result', result, place }))
  })
}

function toNewMessages(request: MessagesGatewayRequest): readonly ReceivedMessage[] {
  const place = 'messages'
  const { tail } = request
  const results = tail.type === 'results' ? tail.results : []
  const joined = tail.type === 'results' ? tail.joined : []
  const message = tail.type === 'message' ? [{ role: 'user', content: tail.content } as const] : []
  return [
    ...results.map(result => ({ role: 'result', result, place }) as const),
    ...[...joined, ...message].map(one => ({ ...one, place })),
  ]
}
