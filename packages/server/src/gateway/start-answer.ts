/**
 * From a request of a vendor wire to a run that answers it: match a session, plan, append. A session that holds
 * this conversation continues; otherwise a new one is made from the request, which holds everything.
 */
import { isLarge, type SessionRow } from '@toolwire/core'
import { yieldToLoop } from '@toolwire/session'
import type { Echo, EchoNote, GatewayRequest, JoinedMessage, Tail } from '@toolwire/wire'
import { idFromKey } from '../sessions/id-from-key.ts'
import { appendImport, appendResults, appendTurn, draftClosing, type Results } from './append-request.ts'
import { type Caller, isSessionId } from './caller.ts'
import { extendChain, fingerprint, startChain } from './chain.ts'
import type { GatewayContext, PlannedRun, SavePlan, Setup, StartedAnswer } from './gateway-context.ts'
import { type Lookup, type Lookups, type Match, match, type Question } from './match.ts'
import { redeclareTools } from './redeclare-tools.ts'
import { restoreBlocks } from './restore-blocks.ts'
import { LABELS } from './session-index.ts'
import { fingerprintSetup, isPure } from './setup.ts'

/** Characters of a long history, with a few for each of its values. */
const LONG = 500_000

interface StartOptions {
  readonly request: GatewayRequest
  readonly caller: Caller
  readonly setup: Setup
  /** Saves the plan before anything is appended. */
  readonly keep?: SavePlan | undefined
  /** The answer is no part of the conversation: a separate session holds it. */
  readonly isApart?: boolean
}

/** Appends what is new in the request and wakes the runtime. Throws AppError before anything is stored. */
export async function startAnswer(context: GatewayContext, options: StartOptions): Promise<StartedAnswer> {
  const { request, setup: asked } = options
  const first = await findMatch(context, await prepare(context, options, asked))
  const again = await redeclareTools(context, request, asked, sourceOf(first.match))
  if (!again) return await perform(context, first.prepared, first.match)
  // The echo needs the tools, and a run that waits keeps its settings.
  const { waiting, other } = again
  const resumed = waiting && (await findMatch(context, await prepare(context, options, waiting), first.known))
  if (resumed?.match.do === 'answer') {
    const { match: found, prepared } = resumed
    return await perform(context, { ...prepared, fallback: other }, found)
  }
  const rest = await findMatch(context, await prepare(context, options, other), first.known)
  return await perform(context, rest.prepared, rest.match)
}

/** A request with everything that is computed from it before a session is looked for. */
interface PreparedRequest extends StartOptions {
  readonly question: Question
  readonly echo: Echo
  readonly names: readonly string[]
  readonly user: string | undefined
  /** Fields of the response that are the same for every session. */
  readonly base: Omit<StartedAnswer, 'session' | 'follow' | 'from'>
  /** Settings of a new session where they differ. */
  readonly fallback?: Setup
}

async function prepare(
  context: GatewayContext,
  options: StartOptions,
  setup: Setup,
): Promise<PreparedRequest> {
  const { request, caller } = options
  const { tail, visible, answered } = request
  const seed = startChain(caller.owner, setup.protocol, ...setup.server_tools)
  // Each pass over a long history takes its time, and so did decoding it.
  const isLong = isLarge(request.history, LONG)
  const pause = async () => (isLong ? await yieldToLoop() : undefined)
  await pause()
  const chain = await extendChain(seed, visible.slice(0, answered))
  await pause()
  const echo = request.echo(setup.client_tools)
  await pause()
  const echoChain = await extendChain(seed, echo.before)
  const name = caller.session_id ?? request.session_id
  const ownId = name !== undefined && isSessionId(name) ? toOwnId(context, name) : undefined
  const names = ownId === undefined || name === undefined ? [] : [...new Set([name, ownId])]
  const user = request.user === undefined ? undefined : `${caller.owner}:${request.user}`
  const base = {
    chain: await extendChain(chain, visible.slice(answered)),
    echo: await extendChain(echoChain, echo.after),
    owner: caller.owner,
    notes: [...digestNotes(echo.notes.before), ...digestNotes(echo.notes.after)].slice(-MAX_NOTES).join(' '),
    setup: fingerprintSetup(setup),
    user,
    pure: isPure(setup),
    warnings: [...request.warnings, ...setup.warnings],
  }
  const question: Question = {
    tail: tail.type,
    hasAnswer: answered > 0,
    isPlain: request.history.at(-1)?.role === 'assistant',
    isAddition: answered === 0 && tail.type === 'message' && !request.has_instructions,
    chain,
    echo: echoChain,
    owner: caller.owner,
    setup: base.setup,
    calls: callsOf(request),
    results: request.results,
    ownId,
    isNamed: names.length > 0,
    hasUser: user !== undefined,
  }
  return { ...options, setup, question, echo, names, user, base }
}

function callsOf({ history, by_name }: GatewayRequest): readonly string[] {
  if (by_name) return []
  return history.toReversed().flatMap(message => {
    if (message.role !== 'assistant') return []
    return message.content.flatMap(part => (part.type === 'tool_use' ? [part.call_id] : []))
  })
}

/**
 * The id of a session that the caller names first. With API keys every owner has its own names, so that a name never
 * shows whether another owner uses it.
 */
function toOwnId(context: GatewayContext, name: string): string {
  const { owner, unbounded } = context.principal()
  return unbounded ? name : idFromKey('named', owner, name)
}

interface FoundMatch {
  readonly prepared: PreparedRequest
  readonly match: Match
  /** Lookups that do not depend on the settings. */
  readonly known: Lookups
}

async function findMatch(
  context: GatewayContext,
  prepared: PreparedRequest,
  before: Lookups = {},
): Promise<FoundMatch> {
  let known = before
  for (;;) {
    const found = match(prepared.question, known)
    const { echo: _, ...rest } = known
    if ('do' in found) return { prepared, match: prepared.isApart ? toSeparate(found) : found, known: rest }
    known = { ...known, [found.need]: (await lookUp(context, prepared, found.need)) ?? null }
  }
}

/** The session that holds the conversation stays as it is. */
function toSeparate(found: Match): Match {
  if (found.do === 'add') return found
  return { ...(found.do === 'import' ? found : found.otherwise), replaces: undefined }
}

async function lookUp(
  { index }: GatewayContext,
  { question, names, user }: PreparedRequest,
  lookup: Lookup,
): Promise<SessionRow | undefined> {
  const isPause = question.tail === 'results'
  switch (lookup) {
    case 'call':
      return await index.find('call', question.calls[0] ?? '')
    case 'named':
      for (const id of names) {
        const row = await index.row(id)
        if (row) return row
      }
      return undefined
    case 'user':
      return await index.find('user', user ?? '')
    case 'chain':
      return await index.find(isPause ? 'asked' : 'chain', question.chain)
    case 'echo':
      return await index.find(isPause ? 'echo_asked' : 'echo', question.echo)
  }
}

const sourceOf = (found: Match): SessionRow | undefined => (found.do === 'import' ? found.source : found.row)

/** Appends as the match says; if the session cannot take the request any more, as its alternative says. */
async function perform(
  context: GatewayContext,
  prepared: PreparedRequest,
  found: Match,
): Promise<StartedAnswer> {
  const { request, setup, base, keep, echo, question } = prepared
  const { tail } = request
  const beforeAppend = (more: Partial<PlannedRun>) => (position: Pick<PlannedRun, 'session' | 'run_id'>) =>
    keep?.({ ...base, ...more, ...position }) ?? Promise.resolve()
  if (found.do === 'import') return await importRequest(context, prepared, found)
  const changes = found.do === 'add' ? [] : found.warnings
  const warnings = [...base.warnings, ...changes]
  const notes = changes.length > 0 ? echo.notes.before : []
  const fresh = toJoined(freshNotes(notes, found.row))
  if (found.do === 'answer') {
    await keep?.('repeatable')
    const lists = notes.length === 0 ? [[]] : [fresh, toJoined(notes), []]
    const results = tail.type === 'results' && toResults(prepared, tail, lists)
    const started = results && (await appendResults(context, found.row, results))
    return started ? { ...base, ...started, warnings } : await perform(context, prepared, found.otherwise)
  }
  const content = tail.type === 'message' ? tail.content : []
  if (found.do === 'append') {
    const started = await appendTurn(context, found.row, {
      content: [...fresh.flatMap(note => note.content), ...content],
      setup,
      key: `chain:${question.echo}`,
      beforeAppend: beforeAppend({ warnings }),
    })
    return started ? { ...base, ...started, warnings } : await perform(context, prepared, found.otherwise)
  }
  const own = await addedTo(context, prepared, found.row)
  const turn = { content, setup, supersede: true, beforeAppend: beforeAppend(own) }
  const started = await appendTurn(context, found.row, turn)
  if (!started) throw found.otherwise
  return { ...base, ...own, ...started }
}

function toResults(
  { request, setup }: PreparedRequest,
  tail: Extract<Tail, { type: 'results' }>,
  lists: readonly (readonly JoinedMessage[])[],
): Results {
  const { protocol } = setup
  const { responses } = setup.options
  return {
    ...tail,
    by_name: request.by_name,
    protocol,
    joined: lists.map(list => [...list, ...tail.joined]),
    // The response repeats fields of this request.
    ...(responses === undefined ? {} : { options: { responses } }),
  }
}

/** The named session remembers the rest of the conversation and keeps its own tools. */
async function addedTo(
  context: GatewayContext,
  { request, echo }: PreparedRequest,
  { id, labels }: SessionRow,
) {
  const { session } = await context.sessions.facts(id)
  const { visible, said } = request
  return {
    chain: await extendChain(labels[LABELS.chain] ?? '', visible.slice(visible.length - said)),
    echo: await extendChain(labels[LABELS.echo] ?? '', echo.after),
    pure: session?.tools.length === 0,
  }
}

async function importRequest(
  context: GatewayContext,
  { request, setup: matched, fallback, base, keep }: PreparedRequest,
  { id, source, replaces, warnings: more }: Extract<Match, { do: 'import' }>,
): Promise<StartedAnswer> {
  const setup = fallback ?? matched
  const answer = { ...base, setup: fingerprintSetup(setup), warnings: [...base.warnings, ...more] }
  const { tail, history } = request
  const known = source && (await context.sessions.state(source.id)).messages
  const started = await appendImport(
    context,
    {
      history: known ? restoreBlocks(history, known) : history,
      tail,
      warnings: base.warnings,
      beforeAppend: async position => await keep?.({ ...answer, ...position }),
      closing: replaces && (await draftClosing(context, replaces)),
    },
    setup,
    id,
  )
  return { ...answer, ...started }
}

const MAX_NOTES = 16

const digestNotes = (notes: readonly EchoNote[]): readonly string[] =>
  notes.map(note => fingerprint(note.text).slice(0, 12))

/** Reminders that the client put before the latest response and that the session does not hold yet. */
function freshNotes(notes: readonly EchoNote[], { labels }: SessionRow): readonly EchoNote[] {
  const known = new Set(labels[LABELS.notes]?.split(' '))
  const digests = digestNotes(notes)
  return notes.filter((_, at) => !known.has(digests[at] ?? ''))
}

const toJoined = (notes: readonly EchoNote[]): readonly JoinedMessage[] =>
  notes.map(({ role, text }) => ({ role, content: [{ type: 'text', text }] }))
