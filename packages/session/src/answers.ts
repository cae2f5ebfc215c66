/**
 * Answers as inputs: outputs of client tools and decisions on approvals. What they answer comes from the log alone.
 * The first answer wins; a later one learns that.
 */
import {
  AppError,
  type Append,
  approvalKey,
  type EventOf,
  findApproval,
  findCall,
  outputKey,
  type Rec,
  type Seq,
  type SessionEvent,
} from '@toolwire/core'
import type { AddressedApproval, JoinedMessage } from '@toolwire/wire'
import type { ClientOutput } from './answer-rules.ts'
import type { AppendItem } from './append.ts'
import type { Sessions, Stamp } from './sessions.ts'

export interface Answers {
  readonly outputs: readonly ClientOutput[]
  readonly approvals: readonly AddressedApproval[]
  /** Messages that the user sends with them: the model reads them right after the answers. */
  readonly joined?: readonly JoinedMessage[]
  /** Settings of the request that the resumed run takes over. */
  readonly options?: Readonly<Record<string, unknown>>
  /** The author of the answer: an API key, or `client`. */
  readonly by: string
  readonly protocol: string
}

export interface RecordedAnswer {
  readonly id: string
  readonly call_id: string
  /** Seq of the answer that won; 0 if the item closed without one. */
  readonly seq: Seq
  /** False if another answer came first. */
  readonly first: boolean
  readonly decision?: string
  readonly reason?: string
}

interface AnswerDraft extends Omit<RecordedAnswer, 'seq' | 'first'> {
  readonly key: string
  readonly recorded?: RecordedAnswer
  readonly event?: SessionEvent
  /** The answer ends the turn, for this reason. */
  readonly ends_turn?: string
}

type Kernel = Pick<Sessions, 'append' | 'find' | 'ids' | 'now' | 'reader' | 'rules' | 'stamp'>

/**
 * Checks every answer, then appends them as one call and wakes the runtime. Throws `unknown_call`,
 * `not_a_client_tool`, `already_answered`, `expired` or `approval_not_found`; then nothing was appended.
 */
export async function appendAnswers(
  sessions: Kernel,
  session: string,
  answers: Answers,
): Promise<readonly RecordedAnswer[]> {
  const stamp = sessions.stamp()
  const drafts: AnswerDraft[] = []
  for (const output of answers.outputs) drafts.push(await draftOutput(sessions, session, output))
  for (const approval of answers.approvals) drafts.push(await draftApproval(sessions, session, approval))
  if (new Set(drafts.map(draft => draft.key)).size < drafts.length)
    throw new AppError('bad_request', 'One request answers each item once.')
  const fresh = drafts.filter(draft => draft.event !== undefined)
  const joined = toJoined(sessions, answers, stamp)
  const writes = fresh.map((draft, i) =>
    // In the first write: a second caller with other messages changes nothing.
    toWrite(withOptions(draft, i === 0 ? answers.options : undefined), {
      session,
      stamp,
      answers,
      joined: i === 0 ? joined : [],
    }),
  )
  const items = writes.length > 0 ? (await sessions.append({ writes, wakes: true })).items : []
  const recorded = drafts.map(draft => {
    const item = items[fresh.indexOf(draft)]
    return item ? settle(draft, item) : (draft.recorded as RecordedAnswer)
  })
  if (answers.joined && recorded.every(answer => !answer.first))
    await checkJoined(sessions, session, recorded, answers.joined)
  return recorded
}

const withOptions = (draft: AnswerDraft, options: Answers['options']): AnswerDraft =>
  options && draft.event?.type === 'input.tool_output'
    ? { ...draft, event: { ...draft.event, options: { ...options } } }
    : draft

interface WriteOptions {
  readonly session: string
  readonly stamp: Stamp
  readonly answers: Answers
  readonly joined: readonly SessionEvent[]
}

function toWrite(draft: AnswerDraft, { session, stamp, answers, joined }: WriteOptions): Append {
  const { by, protocol } = answers
  const event = { ...draft.event, ...stamp, by, via: { protocol } } as SessionEvent
  // A form that was dismissed ends the turn as a cancel does, in the same write.
  const cancel: readonly SessionEvent[] =
    draft.ends_turn === undefined ? [] : [{ type: 'input.cancel', ...stamp, reason: draft.ends_turn, by }]
  return { session, events: [event, ...joined, ...cancel], key: draft.key, state: 'running' }
}

/** The messages have the run id of the answers: they start no run. */
const toJoined = (
  { ids }: Pick<Sessions, 'ids'>,
  { joined = [], protocol }: Answers,
  stamp: Stamp,
): readonly SessionEvent[] =>
  joined.map(({ role, content }) => ({
    type: 'input.message',
    ...stamp,
    message_id: ids.prefixed('msg_'),
    role,
    content: [...content],
    via: { protocol },
    if_paused: 'join',
  }))

function settle(draft: AnswerDraft, { seq, isFirst, recorded }: AppendItem): RecordedAnswer {
  const { id, call_id, decision, reason, event } = draft
  if (isFirst) return { id, call_id, seq, first: true, ...orNothing({ decision, reason }) }
  if (event?.type === 'input.tool_output') mustBeEqual(recorded, event)
  return toRecorded({ id, call_id }, seq, recorded)
}

/** The answer that came first. */
function toRecorded(
  item: { readonly id: string; readonly call_id: string },
  seq: Seq,
  ev: SessionEvent | undefined,
): RecordedAnswer {
  const base = { ...item, seq, first: false }
  return ev?.type === 'input.approval'
    ? { ...base, ...orNothing({ decision: ev.decision, reason: ev.reason }) }
    : base
}

/** Throws `already_answered` unless these messages, or none, were recorded with the answers. */
async function checkJoined(
  sessions: Kernel,
  session: string,
  recorded: readonly RecordedAnswer[],
  joined: readonly JoinedMessage[],
): Promise<void> {
  const before: JoinedMessage[] = []
  for (const { seq } of recorded) {
    const next: readonly Rec[] = seq === 0 ? [] : await sessions.reader.read(session, seq, joined.length + 1)
    for (const { ev } of next) {
      if (ev.type !== 'input.message' || ev.if_paused !== 'join') break
      before.push({ role: ev.role, content: ev.content })
    }
  }
  if (JSON.stringify(before) !== JSON.stringify(joined))
    throw new AppError('already_answered', 'Other words were recorded with these answers before.')
}

async function draftOutput(sessions: Kernel, session: string, input: ClientOutput): Promise<AnswerDraft> {
  const { call_id } = input
  const call = await sessions.find(session, facts => findCall(facts, call_id))
  if (!call) throw new AppError('unknown_call', `No pending call has the id ${JSON.stringify(call_id)}.`)
  if (!call.isAsked) throw new AppError('not_a_client_tool')
  const draft = { id: call_id, call_id, key: outputKey(call.message_id, call_id) }
  const { output, ends_turn } = sessions.rules.keptOutput(call.name, input)
  const { output_text, is_error, content } = output
  if (call.answeredAt !== undefined) {
    mustBeEqual(await eventAt(sessions, session, call.answeredAt), output)
    return { ...draft, recorded: { id: call_id, call_id, seq: call.answeredAt, first: false } }
  }
  if (call.isEnded) throw new AppError('expired', 'This call is no longer open.')
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

/** Throws `already_answered` unless this output was recorded. */
function mustBeEqual(
  ev: SessionEvent | undefined,
  output: Pick<ClientOutput, 'output_text' | 'is_error' | 'content'>,
): void {
  if (
    ev?.type !== 'input.tool_output' ||
    ev.output_text !== output.output_text ||
    ev.is_error !== output.is_error ||
    JSON.stringify(ev.content ?? []) !== JSON.stringify(output.content ?? [])
  )
    throw new AppError('already_answered', 'Another output was recorded for this call before.')
}

async function draftApproval(
  sessions: Kernel,
  session: string,
  approval: AddressedApproval,
): Promise<AnswerDraft> {
  const { approval_id, rule_ttl_s, ...answer } = approval
  const fact = await sessions.find(session, facts => findApproval(facts, approval_id))
  if (!fact) throw new AppError('approval_not_found')
  const { call_id } = fact
  const item = { id: approval_id, call_id }
  const draft = { ...item, key: approvalKey(approval_id), decision: answer.decision }
  if (fact.answeredAt !== undefined) {
    const ev = await eventAt(sessions, session, fact.answeredAt)
    return { ...draft, recorded: toRecorded(item, fact.answeredAt, ev) }
  }
  if (!('request' in fact)) {
    const { decision, reason } = fact
    return { ...draft, recorded: { ...item, seq: 0, first: false, ...orNothing({ decision, reason }) } }
  }
  if (answer.edited_input_text !== undefined && !fact.request.allow_edit)
    throw new AppError('bad_request', 'input: the arguments of this call cannot be edited')
  mustFit(sessions, fact.request, answer)
  const event = {
    type: 'input.approval',
    approval_id,
    call_id,
    ...answer,
    ...endOfRule(sessions, rule_ttl_s),
    ...agentOf(fact),
  } as SessionEvent
  return { ...draft, event, ...(answer.reason === undefined ? {} : { reason: answer.reason }) }
}

async function eventAt({ reader }: Kernel, session: string, seq: Seq): Promise<SessionEvent | undefined> {
  const [rec] = await reader.read(session, seq - 1, 1)
  return rec?.ev
}

/** By the clock of this server, which also decides when the rule expires. */
const endOfRule = ({ now }: Kernel, seconds: number | undefined) =>
  seconds === undefined ? {} : { rule_expires_at: new Date(now().getTime() + seconds * 1000).toISOString() }

/** Throws `bad_request` for an answer that the question cannot take. */
function mustFit(
  { rules }: Kernel,
  { kind, resumes, schema }: EventOf<'tool.approval_requested'>,
  { decision, answer_text: text }: Omit<AddressedApproval, 'approval_id'>,
): void {
  if (decision === 'cancelled' && kind !== 'question')
    throw new AppError('bad_request', 'decision: only a question can be put away; approve or deny this call')
  if (!resumes) return
  const read = rules.readFormAnswer(schema, { decision, ...(text === undefined ? {} : { text }) })
  if (!read.ok)
    throw new AppError('bad_request', `answer: ${read.problems.join('; ')}`, {
      problems: read.problems,
      schema,
    })
}

/** Events of a nested agent's call go to that agent. */
const agentOf = (fact: { readonly agent_run_id?: string | undefined }) =>
  fact.agent_run_id === undefined ? {} : { agent_run_id: fact.agent_run_id }

const orNothing = ({ decision, reason }: { readonly decision?: string; readonly reason?: string }) => ({
  ...(decision ? { decision } : {}),
  ...(reason ? { reason } : {}),
})
