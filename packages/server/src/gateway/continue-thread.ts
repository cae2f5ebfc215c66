/**
 * A request that continues an answer by its id and brings only what is new. The thread is the
 * session itself: it goes on when it can take the news as they are, and is branched otherwise.
 */
import { AppError, type HistoryMessage, type Rec, type SessionRow, type SessionState } from '@toolwire/core'
import {
  createWarnings,
  type MessagesGatewayRequest,
  pairResults,
  readMessageId,
  type Sent,
} from '@toolwire/wire'
import { foldSession } from '../fold-session.ts'
import type { Foretell, GatewayContext, KeepPlan, Setup, StartedAnswer } from './answer-plan.ts'
import { appendTurn } from './append-turn.ts'
import { extendChain } from './chain.ts'
import { continueWaiting } from './continue-waiting.ts'
import { createImported } from './create-imported.ts'
import { hasRunAfter } from './log-ahead.ts'
import { LABELS } from './session-index.ts'
import { fingerprintSetup } from './setup.ts'

/** Throws the refusals that make clients send their whole history instead. */
export async function continueThread(
  context: GatewayContext,
  request: MessagesGatewayRequest,
  given: Setup,
  keep?: KeepPlan,
): Promise<StartedAnswer> {
  const { row, seq } = await findThread(context, request.continues ?? '')
  const summary = await context.summaries.get(row.id)
  const run = await runAt(context, row, seq)
  if (request.client_tools.length > 0 || request.visible[0] !== '[]')
    throw refusal(
      'bad_request',
      'thread_fingerprint_mismatch',
      'tools and system are those that the thread was created with; leave them out.',
    )
  const setup: Setup = {
    ...given,
    client_tools: run.client_tools,
    server_tools: summary.created?.tools ?? [],
  }
  const fingerprint = fingerprintSetup(setup)
  const base = {
    chain: extendChain(row.labels[LABELS.chain] ?? '', request.visible.slice(1)),
    setup: fingerprint,
    user: undefined,
    pure: setup.server_tools.length === 0,
  }
  const telling =
    (warnings: StartedAnswer['warnings']): Foretell =>
    place =>
      keep?.({ ...base, ...place, warnings }) ?? Promise.resolve()
  const same = row.labels[LABELS.setup] === fingerprint
  const how = { setup, same, foretell: telling(request.warnings) }
  // Results that were given before, by a server that died, lead to the same answer once more.
  const again = keep && request.tail.type === 'results' && same
  if (again) await keep('repeatable')
  const repeated = again ? await goOn(context, row, request, how) : undefined
  if (!repeated) await mustBeLatest(context, row, seq)
  const going = repeated ?? (await goOn(context, row, request, how))
  if (going) return { ...base, ...going, warnings: request.warnings }
  const warnings = createWarnings(false)
  const state = await foldSession(context.reader, row.id)
  const said = pairResults([...toSent(state), ...toNews(request)], warnings)
  const told = [...request.warnings, ...warnings.list]
  const news = { ...said, warnings: told, foretell: telling(told) }
  const started = await createImported(context, news, setup)
  return { ...base, ...started, warnings: told }
}

async function goOn(
  context: GatewayContext,
  row: SessionRow,
  request: MessagesGatewayRequest,
  { setup, same, foretell }: { readonly setup: Setup; readonly same: boolean; readonly foretell: Foretell },
): Promise<Pick<StartedAnswer, 'session' | 'follow' | 'from'> | undefined> {
  const { tail } = request
  if (tail.type === 'results' && same)
    return await continueWaiting(context, row, { ...tail, by_name: false, protocol: setup.protocol })
  if (tail.type !== 'message') return undefined
  return await appendTurn(context, row, { content: tail.content, setup, foretell })
}

async function findThread(context: GatewayContext, id: string) {
  const place = readMessageId(id)
  const row = place && (await context.index.row(place.session_id))
  if (!row || !place)
    throw refusal(
      'not_found',
      'thread_not_found',
      'No thread holds this message; send the whole conversation.',
    )
  return { row, seq: place.seq }
}

/** The run that gave the answer. */
async function runAt(context: GatewayContext, row: SessionRow, seq: number) {
  const [first]: readonly Rec[] = await context.reader.read(row.id, seq - 1, 1)
  const run = first?.ev
  if (run?.type !== 'run.started')
    throw refusal(
      'not_found',
      'thread_not_found',
      'No thread holds this message; send the whole conversation.',
    )
  return run
}

/** An answer is continued once. */
async function mustBeLatest(context: GatewayContext, row: SessionRow, seq: number): Promise<void> {
  const { busy } = await context.summaries.get(row.id)
  if (busy)
    throw refusal(
      'conflict',
      'thread_continue_in_flight',
      'The answer is being continued by another request.',
    )
  if (await hasRunAfter(context, row.id, seq))
    throw refusal('bad_request', 'thread_already_continued', 'This answer was continued before.')
}

const refusal = (code: 'conflict' | 'bad_request' | 'not_found', error_code: string, message: string) =>
  new AppError(code === 'conflict' ? 'bad_request' : code, message, { error_code })

/** The thread's history as messages of a request. */
function toSent(state: SessionState): readonly Sent[] {
  return state.messages.flatMap((message: HistoryMessage): readonly Sent[] => {
    const place = 'thread'
    if (message.role !== 'tool') return [{ ...message, place }]
    return message.results.map(result => ({ role: 'result', result, place }))
  })
}

function toNews(request: MessagesGatewayRequest): readonly Sent[] {
  const place = 'messages'
  const { tail } = request
  const results = tail.type === 'results' ? tail.results : []
  const content = tail.type === 'continue' ? [] : tail.content
  return [
    ...results.map(result => ({ role: 'result', result, place }) as const),
    ...(content.length > 0 ? [{ role: 'user', content, place } as const] : []),
  ]
}
