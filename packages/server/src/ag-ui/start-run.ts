/** From a run of a client to the log: answers first, then the message; one stream follows what comes of them. */
import { AppError, type Facts, type Follow, findApproval, pendingOf, START } from '@toolwire/core'
import {
  type AgUiOptions,
  type AgUiRequest,
  agUiWire,
  type InterruptReason,
  type MessageInput,
  type PageAnswers,
  toDecision,
  type Wire,
  withOptions,
} from '@toolwire/wire'
import { findMessage } from '../branches/locate-message.ts'
import type { ServerContext } from '../context.ts'
import { adoptAlias, findAlias } from '../front-end/alias-session.ts'
import { openAnswers } from '../front-end/page-answers.ts'
import { isSameMessage } from '../front-end/page-history.ts'
import { type PageHistory, type PageMessage, sendFromPage } from '../front-end/page-version.ts'
import { submitAnswers } from '../sessions/submit-answers.ts'
import type { StreamPlan } from '../stream/answer-stream.ts'
import { withSnapshot } from './snapshot-wire.ts'

export interface RunSetup {
  readonly reason: InterruptReason
  /** Name or id of the agent; the server itself when absent. */
  readonly agent?: string | undefined
  readonly history?: PageHistory | undefined
}

interface StartedRun extends StreamPlan {
  /** The branch that it opened. */
  readonly branch_id?: string
}

/** Throws `bad_request` for a run that brings nothing new, and for an answer that is not a decision. */
export async function startRun(
  context: ServerContext,
  request: AgUiRequest,
  { reason, agent, history }: RunSetup,
): Promise<StartedRun> {
  const row = await findAlias(context, request.thread_id)
  const facts = row && (await context.sessions.facts(row.id))
  const answers = facts ? toAnswers(facts, request) : { outputs: [], approvals: [] }
  const wire = toWire(request, reason)
  if (row && facts && answers.outputs.length + answers.approvals.length > 0) {
    const follow = await followAnswers(context, row.id, request, answers)
    const hasForgery = hasResultOf(facts, request)
    return toPlan(row.id, hasForgery ? withSnapshot(wire, row.id) : wire, follow)
  }
  const repeated = row && !request.message && (await followRepeated(context, row.id, request))
  if (row && repeated) return toPlan(row.id, wire, repeated)
  if (!request.message)
    throw new AppError('bad_request', 'messages: this run brings no new message and no open answer')
  const input = toInput(context, request)
  const session = await adoptAlias(context, request.thread_id, { agent })
  await storeState(context, session, request)
  const { run_id, branch_id } = await sendFromPage(context, {
    session,
    input,
    earlier: request.earlier,
    texts: () => request.texts().slice(0, -1),
    history,
    intent: await intentOf(context, session, request),
    interrupt: false,
    key: request.message.id === undefined ? `run:${request.run_id}` : undefined,
  })
  const plan = toPlan(session, wire, { kind: 'run', run_id })
  return branch_id === undefined ? plan : { ...plan, branch_id }
}

/** Nothing marks another answer but the new run; a run that has not ended is joined by a page that asks again. */
async function intentOf(
  { sessions }: Pick<ServerContext, 'sessions'>,
  session: string,
  { message, run_id, resume }: AgUiRequest,
): Promise<PageMessage['intent']> {
  const known = message?.id === undefined ? undefined : findMessage(await sessions.state(session), message.id)
  if (!known?.exchange || resume.length > 0) return 'send'
  const [rec] = await sessions.reader.read(session, known.seq - 1, 1)
  if (rec?.ev.type !== 'input.message' || rec.ev.client_run_id === run_id) return 'send'
  if (!isSameMessage(rec.ev.content, message?.content ?? [])) return 'edit'
  const facts = await sessions.facts(session)
  return facts.isStarted && facts.conversation_id === known.exchange.conversation_id ? 'send' : 'regenerate'
}

export const toPlan = (session: string, wire: Wire, target: Follow): StreamPlan => ({
  session,
  wire,
  target,
  cursor: START,
})

export const toWire = (
  { thread_id, run_id, isVersion1 }: AgUiRequest,
  interrupt_reason: InterruptReason,
): Wire => {
  const options: AgUiOptions = { thread_id, run_id, isVersion1, interrupt_reason }
  return withOptions(agUiWire, { ...options })
}

/** Claims about items that wait now; answers to other interrupts mean nothing. */
function toAnswers(facts: Facts, { outputs, resume }: AgUiRequest): PageAnswers {
  const pending = pendingOf(facts)
  const approvals = resume.flatMap(answer => {
    const item = pending.find(one => one.id === answer.id && one.kind !== 'client_tool')
    return item ? [toDecision(answer, item.kind === 'question')] : []
  })
  return openAnswers(facts, { outputs, approvals })
}

/** A decision that came before: the run that it resumed is sent again. */
async function followRepeated(
  context: ServerContext,
  session: string,
  { resume }: AgUiRequest,
): Promise<Follow | undefined> {
  const seqs: number[] = []
  for (const { id } of resume) {
    const fact = await context.sessions.find(session, facts => findApproval(facts, id))
    if (fact?.answeredAt !== undefined) seqs.push(fact.answeredAt)
  }
  return seqs.length > 0 ? { kind: 'answer', seq: Math.max(...seqs) } : undefined
}

/** A result that the page made for a call which waits for a decision: some front ends do this with every approval. */
const hasResultOf = (facts: Facts, { outputs }: AgUiRequest): boolean =>
  pendingOf(facts).some(
    item => item.kind !== 'client_tool' && outputs.some(output => output.call_id === item.call_id),
  )

async function followAnswers(
  context: ServerContext,
  session: string,
  request: AgUiRequest,
  answers: PageAnswers,
): Promise<Follow> {
  const { message } = request
  const joined = message ? { joined: [{ role: 'user' as const, content: message.content }] } : {}
  const recorded = await submitAnswers(context, session, {
    ...answers,
    ...joined,
    protocol: 'ag-ui',
  })
  return { kind: 'answer', seq: Math.max(...recorded.map(answer => answer.seq)) }
}

function toInput({ settings }: ServerContext, { message, tools, run_id }: AgUiRequest): MessageInput {
  const taken = tools?.find(tool => settings.toolNames.includes(tool.name))
  if (taken) throw new AppError('bad_request', `tools: the server has a tool "${taken.name}" itself`)
  return {
    type: 'input.message',
    role: 'user',
    content: [...(message?.content ?? [])],
    via: { protocol: 'ag-ui' },
    ...(message?.id === undefined ? {} : { client_message_id: message.id }),
    client_run_id: run_id,
    ...(tools && tools.length > 0 ? { client_tools: [...tools] } : {}),
    if_paused: 'supersede',
  }
}

/** The page's own state is kept for the page; no tool and no model reads it. */
async function storeState(context: ServerContext, session: string, request: AgUiRequest): Promise<void> {
  if (request.state === undefined) return
  const ts = context.clock.now().toISOString()
  const note = { type: 'note', ts, name: 'client_state', value: request.state } as const
  const write = { session, events: [note], key: `state:${request.run_id}` }
  await context.sessions.append({ writes: [write], wakes: false })
}
