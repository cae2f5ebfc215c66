/**
 * The three ways to append a request of a vendor wire: results to a session that waits for them, a message to an idle
 * session, or the whole conversation to a new one.
 */
import {
  AppError,
  type Append,
  type ContentPart,
  capLimits,
  type EventOf,
  type Facts,
  findCall,
  isBusy,
  outputKey,
  pendingOf,
  runLimits,
  type SessionEvent,
  type SessionRow,
  type ToolResultPart,
} from '@toolwire/core'
import {
  type AppendReceipt,
  draftCancel,
  type RecordedAnswer,
  sessionLabels,
  toIndex,
  yieldToLoop,
} from '@toolwire/session'
import type { ImportedMessage, JoinedMessage, Tail, Warning } from '@toolwire/wire'
import { chooseWorkspace } from '../sessions/choose-workspace.ts'
import { submitAnswers } from '../sessions/submit-answers.ts'
import type { BeforeAppend, GatewayContext, Setup, StartedAnswer } from './gateway-context.ts'
import { importHistory } from './import-history.ts'
import { endedBadly } from './log-ahead.ts'
import { LABELS } from './session-index.ts'

/** Rounds with server tools in one response. */
const MAX_TURNS = 100

/** Events of a long history: other requests get the event loop between making and storing them. */
const LONG = 1_000

/** The position of a response in its session. */
export type ResponsePosition = Pick<StartedAnswer, 'session' | 'follow' | 'from'>

export type Results = Omit<Extract<Tail, { type: 'results' }>, 'type' | 'joined'> & {
  readonly by_name: boolean
  readonly protocol: string
  /** Settings that the resumed run takes over from this request. */
  readonly options?: Readonly<Record<string, unknown>>
  /** Messages to record with the results; the further lists are what an equal request may have recorded. */
  readonly joined: readonly (readonly JoinedMessage[])[]
}

/**
 * Records the results and wakes the runtime. Undefined, and nothing recorded, if the session does
 * not wait for exactly these, or has recorded others. The same results again get the same response.
 */
export async function appendResults(
  context: GatewayContext,
  row: SessionRow,
  given: Results,
): Promise<ResponsePosition | undefined> {
  const outputs = toOutputs(await context.sessions.facts(row.id), given)
  if (!outputs) return undefined
  const { protocol, options } = given
  const answers = { outputs, approvals: [], protocol, ...(options ? { options } : {}) }
  let recorded: readonly RecordedAnswer[] | undefined
  for (const joined of given.joined) recorded ??= await recordAnswers(context, row.id, { ...answers, joined })
  if (!recorded) return undefined
  const seqs = recorded.map(answer => answer.seq)
  const isRepeated = recorded.every(answer => !answer.first)
  const follow = { kind: 'answer', seq: Math.max(...seqs) } as const
  const started = { session: row.id, follow, from: Math.min(...seqs) - 1 }
  // A run that failed after these results can be asked again.
  return isRepeated && (await endedBadly(context, started)) ? undefined : started
}

const REJECTED: ReadonlySet<string> = new Set([
  'unknown_call',
  'not_a_client_tool',
  'already_answered',
  'expired',
])

async function recordAnswers(...[context, session, answers]: Parameters<typeof submitAnswers>) {
  try {
    return await submitAnswers(context, session, answers)
  } catch (error) {
    if (AppError.is(error) && REJECTED.has(error.code)) return undefined
    throw error
  }
}

function toOutputs(facts: Facts, given: Results) {
  const pending = pendingOf(facts)
  if (pending.some(item => item.kind !== 'client_tool')) return undefined
  const results = given.by_name ? byName(pending, given.results) : given.results
  if (results.length === 0) return undefined
  const answered = new Set(results.map(result => result.call_id))
  const isComplete = given.by_name || pending.every(item => answered.has(item.call_id))
  if (!isComplete || (!given.by_name && given.missing.length > 0)) return undefined
  return results.map(({ call_id, output_text, content, is_error }) => ({
    call_id,
    output_text,
    content,
    is_error,
  }))
}

/** Calls of the old dialect have no ids: the result belongs to the first waiting call of its name. */
function byName(
  pending: readonly { readonly call_id: string; readonly name: string }[],
  results: readonly ToolResultPart[],
): readonly ToolResultPart[] {
  return results.flatMap(result => {
    const call = pending.find(item => item.name === result.name)
    return call ? [{ ...result, call_id: call.call_id }] : []
  })
}

export interface Turn {
  readonly content: readonly ContentPart[]
  readonly setup: Setup
  /** At most one message is ever appended under it. */
  readonly key?: string
  /** The message replaces what the session waits for. */
  readonly supersede?: boolean
  readonly beforeAppend?: BeforeAppend | undefined
}

/** Appends a message. Undefined, and nothing appended, if the session is busy, or waits and may not be superseded, or the key was used. */
export async function appendTurn(
  context: GatewayContext,
  row: SessionRow,
  turn: Turn,
): Promise<ResponsePosition | undefined> {
  const facts = await context.sessions.facts(row.id)
  if (isBusy(facts) || (facts.isPaused && !turn.supersede)) return undefined
  const { ids, sessions } = context
  const { protocol, client_tools, model, options, limits } = turn.setup
  const { ts, run_id } = sessions.stamp()
  const write: Append = {
    session: row.id,
    events: [
      {
        type: 'input.message',
        ts,
        run_id,
        message_id: ids.prefixed('msg_'),
        role: 'user',
        content: [...turn.content],
        via: { protocol },
        client_tools: [...client_tools],
        model,
        options: { ...options },
        ...runLimits(limits),
        max_turns: MAX_TURNS,
        ...(turn.supersede ? { if_paused: 'supersede' as const } : {}),
      },
    ],
    state: 'running',
    ...(turn.key === undefined ? {} : { key: turn.key }),
    index: toIndex(turn.content, true),
  }
  const beforeAppend = async (session: string) => await turn.beforeAppend?.({ session, run_id })
  const { items } = await sessions.append({ writes: [write], wakes: true, beforeAppend }).catch(toNoItems)
  const [item] = items
  return item?.isFirst ? { session: row.id, follow: { kind: 'run', run_id }, from: item.seq - 1 } : undefined
}

/** A session that was deleted meanwhile takes no message. */
function toNoItems(error: unknown): Pick<AppendReceipt, 'items'> {
  if (AppError.is(error) && (error.code === 'session_deleted' || error.code === 'session_not_found'))
    return { items: [] }
  throw error
}

/** The first records of the new session. Repairs are kept in its log. */
export interface ImportSource {
  readonly history: readonly ImportedMessage[]
  readonly tail: Tail
  readonly warnings: readonly Warning[]
  readonly beforeAppend?: BeforeAppend | undefined
  /** Closes the session that the new one replaces, in the same append. */
  readonly closing?: Append | undefined
}

/** Creates a session that starts with the conversation of the request. `id` is used if it is free. */
export async function appendImport(
  context: GatewayContext,
  source: ImportSource,
  setup: Setup,
  id?: string,
): Promise<ResponsePosition> {
  const { settings, ids, clock, sessions } = context
  const ts = clock.now().toISOString()
  const created: EventOf<'session.created'> = {
    type: 'session.created',
    ts,
    cwd: chooseWorkspace(context),
    model: setup.model,
    tools: [...setup.server_tools],
    permission_mode: settings.permissionMode,
    metadata: { wire: setup.protocol },
  }
  const limits = { ...capLimits(setup.limits, settings.limits), max_turns: MAX_TURNS }
  const imported = importHistory(source.history, source.tail, { ...setup, limits }, { ids, ts })
  if (imported.past > LONG) await yieldToLoop()
  const notes: readonly SessionEvent[] =
    source.warnings.length === 0
      ? []
      : [{ type: 'note', ts, name: 'gateway.repairs', value: source.warnings }]
  const { title } = toIndex(firstContent(source.history, source.tail), false)
  const write = {
    session: id ?? ids.uuid(),
    create: true,
    events: [created, ...notes, ...imported.events],
    state: 'running',
    index: { ...(title === undefined ? {} : { title }), labels: sessionLabels(created) },
  } as const
  const { run_id } = imported
  const { session } = await sessions.append({
    writes: [write],
    also: source.closing ? [source.closing] : [],
    wakes: true,
    fallbackId: ids.uuid,
    beforeAppend: async position => await source.beforeAppend?.({ session: position, run_id }),
  })
  return { session, follow: { kind: 'run', run_id }, from: 1 + notes.length + imported.past }
}

function firstContent(history: readonly ImportedMessage[], tail: Tail) {
  const first = history.find(message => message.role === 'user')
  if (first?.role === 'user') return first.content
  return tail.type === 'message' ? tail.content : []
}

/**
 * The write that ends the pause of a session whose conversation continues elsewhere; no model is called. A result
 * recorded first wins: both use the key of the first waiting call. A cancel is exempt from the run limit.
 */
export async function draftClosing(
  { sessions }: Pick<GatewayContext, 'sessions'>,
  { id: session, labels }: SessionRow,
): Promise<Append | undefined> {
  const facts = await sessions.facts(session)
  const pending = pendingOf(facts)
  const [first] = pending
  const call = first && findCall(facts, first.call_id)
  // Since the row was read the session may have continued to another pause, which is not replaced.
  const isReplaced = pending.some(item => item.call_id === labels[LABELS.call])
  if (!call || !isReplaced || pending.some(item => item.kind !== 'client_tool')) return undefined
  const reason = 'the conversation continues in another session'
  const [write] = draftCancel(session, reason, sessions.stamp()).writes
  return write && { ...write, key: outputKey(call.message_id, call.call_id) }
}
