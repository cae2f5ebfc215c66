/**
 * From a request of a vendor wire to a run that answers it. A session that holds exactly this
 * conversation goes on; otherwise a new one is made from the request, which holds everything.
 * Sessions are found by a call's id, by the id that the request names, by the user, by the chain
 * of the conversation; never by likeness.
 */
import { AppError, type SessionRow } from '@toolwire/core'
import type { GatewayRequest, Warning } from '@toolwire/wire'
import { foldSession } from '../fold-session.ts'
import type { Foretell, GatewayContext, KeepPlan, PlannedRun, Setup, StartedAnswer } from './answer-plan.ts'
import { appendTurn } from './append-turn.ts'
import { type Caller, isSessionId } from './caller.ts'
import { extendChain, startChain } from './chain.ts'
import { continueWaiting } from './continue-waiting.ts'
import { createImported } from './create-imported.ts'
import { declareAgain } from './declare-again.ts'
import { recall } from './recall.ts'
import { LABELS } from './session-index.ts'
import { fingerprintSetup } from './setup.ts'

interface Chains {
  /** Up to and including the latest assistant message. */
  readonly prefix: string
  readonly whole: string
}

interface Found {
  /** A session that holds this very conversation. */
  readonly same: SessionRow | undefined
  /** A session that knows the latest calls, but another conversation around them. */
  readonly near: SessionRow | undefined
  /** The session that the request names. */
  readonly named: SessionRow | undefined
}

interface Asking {
  readonly request: GatewayRequest
  readonly caller: Caller
  readonly setup: Setup
  /** Keeps what is about to be begun. */
  readonly keep?: KeepPlan | undefined
}

/** Appends what the request says and wakes the runtime. Throws AppError before anything is stored. */
export async function startAnswer(
  context: GatewayContext,
  { request, caller, setup: asked, keep }: Asking,
): Promise<StartedAnswer> {
  const seed = startChain(caller.owner, asked.protocol, ...asked.server_tools)
  const prefix = extendChain(seed, request.visible.slice(0, request.answered))
  const chains: Chains = {
    prefix,
    whole: extendChain(prefix, request.visible.slice(request.answered)),
  }
  const named_id = caller.session_id ?? request.session_id
  const user = request.user === undefined ? undefined : `${caller.owner}:${request.user}`
  const found = await findSession(context, request, chains, { id: named_id, user })
  const setup = await declareAgain(context, request, asked, found.same ?? found.near)
  const base = {
    chain: chains.whole,
    setup: fingerprintSetup(setup),
    user,
    pure: setup.server_tools.length === 0,
  }
  const foretell: Telling = more => place =>
    keep?.({ ...base, warnings: request.warnings, ...more, ...place }) ?? Promise.resolve()
  const going = await goOn(context, { request, setup, keep, foretell }, { found, chains, setup: base.setup })
  if (going) return { ...base, ...going, warnings: request.warnings }
  const near = found.same ?? found.near ?? found.named
  const history = near
    ? recall(request.history, (await foldSession(context.reader, near.id)).messages)
    : request.history
  const isFree = named_id !== undefined && isSessionId(named_id) && !found.named
  const { tail, warnings } = request
  const told = [...warnings, ...rebuilt(request, found)]
  const said = { history, tail, warnings, foretell: foretell({ warnings: told }) }
  const started = await createImported(context, said, setup, isFree ? named_id : undefined)
  return { ...base, ...started, warnings: told }
}

/** What is about to be begun, where it differs from what is known of every answer. */
type Telling = (more?: Partial<PlannedRun>) => Foretell

async function findSession(
  context: GatewayContext,
  request: GatewayRequest,
  chains: Chains,
  name: { readonly id: string | undefined; readonly user: string | undefined },
): Promise<Found> {
  const { index } = context
  // Results belong to the pause that asked for them, also when the session has gone on since.
  const label = request.tail.type === 'results' ? LABELS.asked : LABELS.chain
  const isSame = (row: SessionRow | undefined): row is SessionRow => row?.labels[label] === chains.prefix
  const named = name.id !== undefined && isSessionId(name.id) ? await index.row(name.id) : undefined
  if (request.answered === 0) return { same: undefined, near: undefined, named }
  const [call] = request.calls
  const byCall =
    call && !request.by_name && request.tail.type === 'results'
      ? await index.find('call', call.call_id)
      : undefined
  if (isSame(byCall)) return { same: byCall, near: byCall, named }
  if (isSame(named)) return { same: named, near: byCall, named }
  const byUser = name.user === undefined ? undefined : await index.find('user', name.user)
  if (isSame(byUser)) return { same: byUser, near: byCall, named }
  const byChain = await index.find(request.tail.type === 'results' ? 'asked' : 'chain', chains.prefix)
  return { same: isSame(byChain) ? byChain : undefined, near: byCall, named }
}

interface Going extends Pick<Asking, 'request' | 'setup' | 'keep'> {
  readonly foretell: Telling
}

type Gone = Pick<StartedAnswer, 'session' | 'follow' | 'from'> &
  Partial<Pick<StartedAnswer, 'chain' | 'pure'>>

/** Goes on with a known session; undefined when none can take this request as it is. */
async function goOn(
  context: GatewayContext,
  { request, setup, keep, foretell }: Going,
  known: { readonly found: Found; readonly chains: Chains; readonly setup: string },
): Promise<Gone | undefined> {
  const { found, chains } = known
  const { tail } = request
  if (tail.type === 'results') {
    if (found.same?.labels[LABELS.setup] !== known.setup) return undefined
    await keep?.('repeatable')
    return await continueWaiting(context, found.same, {
      ...tail,
      by_name: request.by_name,
      protocol: setup.protocol,
    })
  }
  if (tail.type !== 'message') return undefined
  if (found.same && isPlain(request))
    return await appendTurn(context, found.same, {
      content: tail.content,
      setup,
      key: `chain:${chains.prefix}`,
      foretell: foretell(),
    })
  return found.named && request.answered === 0
    ? await tellNamed(context, { request, setup, foretell }, found.named)
    : undefined
}

/** Without any answer in it, the request only says what is new to the session that it names, which keeps its own tools. */
async function tellNamed(
  context: GatewayContext,
  { request, setup, foretell }: Going,
  row: SessionRow,
): Promise<Gone> {
  const content = request.tail.type === 'message' ? request.tail.content : []
  const { created } = await context.summaries.get(row.id)
  const news = request.visible.slice(request.visible.length - request.said)
  const own = {
    chain: extendChain(row.labels[LABELS.chain] ?? '', news),
    pure: created?.tools.length === 0,
  }
  const turn = { content, setup, supersede: true, foretell: foretell(own) }
  const going = await appendTurn(context, row, turn)
  if (!going) throw new AppError('conflict', 'The named session is at work; wait for its answer.')
  return { ...going, ...own }
}

/** Nothing but user messages stands after the latest answer. */
const isPlain = (request: GatewayRequest): boolean => request.history.at(-1)?.role === 'assistant'

function rebuilt(request: GatewayRequest, found: Found): readonly Warning[] {
  if (request.tail.type === 'results')
    return [
      {
        code: 'session_rebuilt',
        message: found.near
          ? 'The session that waits for these results holds another conversation or other settings; a new one was made from the messages.'
          : 'No session waits for these results; a new one was made from the messages.',
      },
    ]
  if (found.named && request.answered > 0)
    return [
      {
        code: 'session_rebuilt',
        message: 'The named session holds another conversation; a new one was made from the messages.',
      },
    ]
  return []
}
