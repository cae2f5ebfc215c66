/**
 * The write side of answers: outputs of client tools and decisions on approvals. What they
 * answer comes from the log alone; the first answer wins and later equal ones are told so.
 */
import {
  AppError,
  type Append,
  approvalKey,
  type ContentPart,
  type EventOf,
  outputKey,
  type Rec,
  type SessionEvent,
} from '@toolwire/core'
import { readFormAnswer } from '@toolwire/runtime'
import type { AddressedApproval, ToolOutputAnswer } from '@toolwire/wire'
import { mustHave } from './access/principal.ts'
import { appendAudited } from './append-audited.ts'
import type { ServerContext } from './context.ts'
import { keptOutput } from './kept-output.ts'
import type { SessionSummary } from './session-summary.ts'

/** An output; `content` holds all of it when it is more than its text. */
type Output = ToolOutputAnswer & { readonly content?: readonly ContentPart[] }

export interface Answers {
  readonly outputs: readonly Output[]
  readonly approvals: readonly AddressedApproval[]
  /** What the user says along with them: the model hears it right after the answers. */
  readonly joined?: readonly ContentPart[]
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
  /** The answer ends the turn, for this reason. */
  readonly ends_turn?: string
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
  const principal = context.principal()
  if (answers.approvals.length > 0) mustHave(principal, 'approve')
  // A rule for the project outlives the session and counts for everybody who works in that folder.
  if (answers.approvals.some(({ rule }) => rule?.startsWith('project:'))) mustHave(principal, 'admin')
  const summary = await context.summaries.get(session)
  const stamp = {
    ts: context.clock.now().toISOString(),
    run_id: context.ids.uuid(),
    by: principal.key_id ?? answers.by,
  }
  const via = { protocol: answers.protocol }
  const drafts: Draft[] = []
  for (const output of answers.outputs) drafts.push(await draftOutput(context, session, summary, output))
  for (const approval of answers.approvals)
    drafts.push(await draftApproval(context, session, summary, approval))
  if (new Set(drafts.map(draft => draft.key)).size < drafts.length)
    throw new AppError('bad_request', 'One request answers each item once.')
  const fresh = drafts.filter(draft => draft.event !== undefined)
  const joined = toJoined(context, answers, { ts: stamp.ts, run_id: stamp.run_id })
  const writes = fresh.map((draft, i): Append => {
    const event = { ...draft.event, ...stamp, via } as SessionEvent
    // In one write with the first answer: whoever comes second with other words changes nothing.
    const events = [event, ...(i === 0 ? joined : []), ...endOfTurn(draft, stamp)]
    return { session, events, key: draft.key, state: 'running' }
  })
  const stored = writes.length > 0 ? await appendAudited(context, writes) : []
  const seqs = new Map(
    fresh.map((draft, i) => [draft, answerSeq(stored[i], (writes[i]?.events.length ?? 1) - 1)]),
  )
  const recorded = await Promise.all(drafts.map(draft => settled(context, session, draft, seqs.get(draft))))
  if (answers.joined && recorded.every(answer => !answer.first))
    await mustHaveJoined(context, session, recorded, answers.joined)
  return recorded
}

/** A form that was put away ends the turn as a cancel does: in the same write, so that nothing comes between. */
function endOfTurn(
  { ends_turn: reason }: Draft,
  { ts, run_id, by }: { readonly ts: string; readonly run_id: string; readonly by: string },
): readonly SessionEvent[] {
  return reason === undefined ? [] : [{ type: 'input.cancel', ts, run_id, reason, by }]
}

/** The message has the answers' run id: no run of its own answers it. */
function toJoined(
  { ids }: ServerContext,
  { joined, protocol }: Answers,
  stamp: { readonly ts: string; readonly run_id: string },
): readonly SessionEvent[] {
  if (!joined || joined.length === 0) return []
  const message_id = ids.prefixed('msg_')
  const content = [...joined]
  const via = { protocol }
  return [
    { type: 'input.message', ...stamp, message_id, role: 'user', content, via, if_paused: 'join' } as const,
  ]
}

/** Where the answer stands in a write that goes on with `more` events. */
const answerSeq = (stored: Stored | undefined, more: number): Stored | undefined =>
  stored && 'head' in stored ? { head: stored.head - more } : stored

/** Throws `already_answered` unless these words, or none, were said with the answers that were recorded. */
async function mustHaveJoined(
  context: ServerContext,
  session: string,
  recorded: readonly RecordedAnswer[],
  joined: readonly ContentPart[],
): Promise<void> {
  const said: unknown[] = []
  for (const { seq } of recorded) {
    const [rec]: readonly Rec[] = seq === 0 ? [] : await context.store.read(session, seq, 1)
    if (rec?.ev.type === 'input.message' && rec.ev.if_paused === 'join') said.push(...rec.ev.content)
  }
  if (JSON.stringify(said) !== JSON.stringify(joined))
    throw new AppError('already_answered', 'Other words were recorded with these answers before.')
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
  given: Output,
): Promise<Draft> {
  const { call_id } = given
  const call = summary.calls.get(call_id)
  if (!call) throw new AppError('unknown_call', `No pending call has the id ${JSON.stringify(call_id)}.`)
  if (!call.asked) throw new AppError('not_a_client_tool')
  const draft = { id: call_id, call_id, key: outputKey(call.message_id, call_id) }
  const { output, ends_turn } = keptOutput(call.name, given)
  const { output_text, is_error, content } = output
  if (call.answered_at !== undefined) {
    await mustBeEqual(context, session, call.answered_at, output)
    return { ...draft, recorded: { id: call_id, call_id, seq: call.answered_at, first: false } }
  }
  if (call.ended) throw new AppError('expired', 'This call is no longer open.')
  const event = {
    type: 'input.tool_output',
    call_id,
    output_text,
    ...(content?.length ? { content: [...content] } : {}),
    is_error,
    ...agentOf(call),
  } as SessionEvent
  return { ...draft, event, ...(ends_turn ? { ends_turn: output_text } : {}) }
}

/** Throws `already_answered` unless the output at `seq` is this one. */
async function mustBeEqual(
  context: ServerContext,
  session: string,
  seq: number,
  output: Pick<Output, 'output_text' | 'is_error' | 'content'>,
): Promise<void> {
  const [rec] = await context.store.read(session, seq - 1, 1)
  const ev = rec?.ev
  if (
    ev?.type !== 'input.tool_output' ||
    ev.output_text !== output.output_text ||
    ev.is_error !== output.is_error ||
    JSON.stringify(ev.content ?? []) !== JSON.stringify(output.content ?? [])
  )
    throw new AppError('already_answered', 'Another output was recorded for this call before.')
}

async function draftApproval(
  context: ServerContext,
  session: string,
  summary: SessionSummary,
  approval: AddressedApproval,
): Promise<Draft> {
  const { approval_id, rule_ttl_s, ...answer } = approval
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
  mustFit(fact.request, answer)
  const event = {
    type: 'input.approval',
    approval_id,
    call_id,
    ...answer,
    ...endOfRule(context, rule_ttl_s),
    ...agentOf(fact),
  } as SessionEvent
  return { ...draft, event, ...(answer.reason === undefined ? {} : { reason: answer.reason }) }
}

/** By this server's clock: the one that will be asked whether the rule still counts. */
const endOfRule = ({ clock }: ServerContext, seconds: number | undefined) =>
  seconds === undefined
    ? {}
    : { rule_expires_at: new Date(clock.now().getTime() + seconds * 1000).toISOString() }

/** Throws `bad_request` for an answer that the question cannot take. */
function mustFit(
  { kind, resumes, schema }: EventOf<'tool.approval_requested'>,
  { decision, answer_text: text }: Omit<AddressedApproval, 'approval_id'>,
): void {
  if (decision === 'cancelled' && kind !== 'question')
    throw new AppError('bad_request', 'decision: only a question can be put away; approve or deny this call')
  if (!resumes) return
  const read = readFormAnswer(schema, { decision, ...(text === undefined ? {} : { text }) })
  if (!read.ok)
    throw new AppError('bad_request', `answer: ${read.problems.join('; ')}`, {
      problems: read.problems,
      schema,
    })
}

/** Events of a nested agent's call go to that agent. */
const agentOf = (fact: { readonly agent_run_id?: string | undefined }) =>
  fact.agent_run_id === undefined ? {} : { agent_run_id: fact.agent_run_id }
