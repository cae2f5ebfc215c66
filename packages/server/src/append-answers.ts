/**
 * The write side of answers: outputs of client tools and decisions on approvals. What they
 * answer comes from the log alone; the first answer wins and later equal ones are told so.
 */
import { AppError, type Append, approvalKey, outputKey, type Rec, type SessionEvent } from '@toolwire/core'
import type { AddressedApproval, ToolOutputAnswer } from '@toolwire/wire'
import type { ServerContext } from './context.ts'
import type { SessionSummary } from './session-summary.ts'

export interface Answers {
  readonly outputs: readonly ToolOutputAnswer[]
  readonly approvals: readonly AddressedApproval[]
  readonly by: string
  readonly protocol: string
}

export interface RecordedAnswer {
  readonly id: string
  readonly call_id: string
  /** Where the answer that counts stands in the log; 0 when nobody gave one and the item closed by itself. */
  readonly seq: number
  /** False when somebody had answered before. */
  readonly first: boolean
  readonly decision?: string
  readonly reason?: string
}

interface Draft extends Omit<RecordedAnswer, 'seq' | 'first'> {
  readonly recorded?: RecordedAnswer
  readonly event?: SessionEvent
  readonly key: string
}

/**
 * Checks every answer first, then appends them as one call and wakes the runtime. Throws
 * `unknown_call`, `not_a_client_tool`, `already_answered`, `expired` or `approval_not_found`;
 * then nothing was appended.
 */
export async function appendAnswers(
  context: ServerContext,
  session: string,
  answers: Answers,
): Promise<readonly RecordedAnswer[]> {
  const summary = await context.summaries.get(session)
  const stamp = { ts: context.clock.now().toISOString(), run_id: context.ids.uuid(), by: answers.by }
  const via = { protocol: answers.protocol }
  const drafts: Draft[] = []
  for (const output of answers.outputs) drafts.push(await draftOutput(context, session, summary, output))
  for (const approval of answers.approvals)
    drafts.push(await draftApproval(context, session, summary, approval))
  if (new Set(drafts.map(draft => draft.key)).size < drafts.length)
    throw new AppError('bad_request', 'One request answers each item once.')
  const fresh = drafts.filter(draft => draft.event !== undefined)
  const writes = fresh.map((draft): Append => {
    const event = { ...draft.event, ...stamp, via } as SessionEvent
    return { session, events: [event], key: draft.key, state: 'running' }
  })
  const stored = writes.length > 0 ? await context.store.append(writes) : []
  if (writes.length > 0) context.runtime.wake(session)
  const seqs = new Map(fresh.map((draft, i) => [draft, stored[i]]))
  return await Promise.all(drafts.map(draft => settled(context, session, draft, seqs.get(draft))))
}

type Stored = Awaited<ReturnType<ServerContext['store']['append']>>[number]

async function settled(
  context: ServerContext,
  session: string,
  draft: Draft,
  stored: Stored | undefined,
): Promise<RecordedAnswer> {
  const { id, call_id, decision, reason } = draft
  if (draft.recorded) return draft.recorded
  if (stored && 'head' in stored)
    return {
      id,
      call_id,
      seq: stored.head,
      first: true,
      ...(decision ? { decision } : {}),
      ...(reason ? { reason } : {}),
    }
  if (stored && 'dup' in stored) {
    if (draft.event?.type === 'input.tool_output')
      await mustBeEqual(context, session, stored.dup, draft.event)
    return await toRecorded(context, session, draft, stored.dup)
  }
  throw new AppError(
    stored && 'missing' in stored && stored.missing === 'deleted' ? 'session_deleted' : 'session_not_found',
  )
}

/** What the log has at `seq`: the answer that came first. */
async function toRecorded(
  context: ServerContext,
  session: string,
  item: { readonly id: string; readonly call_id: string },
  seq: number,
): Promise<RecordedAnswer> {
  const [rec]: readonly Rec[] = await context.store.read(session, seq - 1, 1)
  const ev = rec?.ev
  const base = { id: item.id, call_id: item.call_id, seq, first: false }
  if (ev?.type !== 'input.approval') return base
  return { ...base, decision: ev.decision, ...(ev.reason === undefined ? {} : { reason: ev.reason }) }
}

async function draftOutput(
  context: ServerContext,
  session: string,
  summary: SessionSummary,
  output: ToolOutputAnswer,
): Promise<Draft> {
  const { call_id, output_text, is_error } = output
  const call = summary.calls.get(call_id)
  if (!call) throw new AppError('unknown_call', `No pending call has the id ${JSON.stringify(call_id)}.`)
  if (!call.asked) throw new AppError('not_a_client_tool')
  const draft = { id: call_id, call_id, key: outputKey(call.message_id, call_id) }
  if (call.answered_at !== undefined) {
    await mustBeEqual(context, session, call.answered_at, output)
    return { ...draft, recorded: { id: call_id, call_id, seq: call.answered_at, first: false } }
  }
  if (call.ended) throw new AppError('expired', 'This call is no longer open.')
  const event = {
    type: 'input.tool_output',
    call_id,
    output_text,
    is_error,
    ...agentOf(call),
  } as SessionEvent
  return { ...draft, event }
}

/** Throws `already_answered` unless the output at `seq` is this one. */
async function mustBeEqual(
  context: ServerContext,
  session: string,
  seq: number,
  output: Pick<ToolOutputAnswer, 'output_text' | 'is_error'>,
): Promise<void> {
  const [rec] = await context.store.read(session, seq - 1, 1)
  const ev = rec?.ev
  if (
    ev?.type !== 'input.tool_output' ||
    ev.output_text !== output.output_text ||
    ev.is_error !== output.is_error
  )
    throw new AppError('already_answered', 'Another output was recorded for this call before.')
}

async function draftApproval(
  context: ServerContext,
  session: string,
  summary: SessionSummary,
  approval: AddressedApproval,
): Promise<Draft> {
  const { approval_id, ...answer } = approval
  const fact = summary.approvals.get(approval_id)
  if (!fact) throw new AppError('approval_not_found')
  const { call_id } = fact
  const draft = { id: approval_id, call_id, key: approvalKey(approval_id), decision: answer.decision }
  if (fact.answered_at !== undefined) {
    const recorded = await toRecorded(context, session, { id: approval_id, call_id }, fact.answered_at)
    return { ...draft, recorded }
  }
  if (fact.resolved) {
    const { decision, reason } = fact.resolved
    const recorded = {
      id: approval_id,
      call_id,
      seq: 0,
      first: false,
      decision,
      ...(reason ? { reason } : {}),
    }
    return { ...draft, recorded }
  }
  if (answer.edited_input_text !== undefined && !fact.request.allow_edit)
    throw new AppError('bad_request', 'input: the arguments of this call cannot be edited')
  const event = { type: 'input.approval', approval_id, call_id, ...answer, ...agentOf(fact) } as SessionEvent
  return { ...draft, event, ...(answer.reason === undefined ? {} : { reason: answer.reason }) }
}

/** Events of a nested agent's call go to that agent. */
const agentOf = (fact: { readonly agent_run_id?: string | undefined }) =>
  fact.agent_run_id === undefined ? {} : { agent_run_id: fact.agent_run_id }
