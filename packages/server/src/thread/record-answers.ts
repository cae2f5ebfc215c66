/**
 * Answers of this wire name calls; the log knows what each call waits for. Addresses them, records them as every
 * other wire does, and reports contradictions.
 */
import {
  AppError,
  type ApprovalFact,
  type EndedApproval,
  findApprovalOf,
  findCall,
  type SessionEvent,
} from '@toolwire/core'
import type { RecordedAnswer } from '@toolwire/session'
import type { AddressedApproval, ThreadAnswersCommand, ToolApprovalGiven } from '@toolwire/wire'
import type { ServerContext } from '../context.ts'
import { submitAnswers } from '../sessions/submit-answers.ts'

type AnswerInputs = Pick<ThreadAnswersCommand, 'outputs' | 'approvals'>

/**
 * Records every answer or none; returns the place in the log from which the answer is followed.
 * Throws `unknown_call`, `not_a_client_tool`, `already_answered`, `expired`, `approval_not_found`
 * or `bad_request`. An answer that was recorded before with the same content is no error.
 */
export async function recordAnswers(
  context: ServerContext,
  session: string,
  given: AnswerInputs,
): Promise<number> {
  const outputs = distinct(given.outputs)
  const questions: ToolApprovalGiven[] = []
  for (const { call_id, output_text } of outputs)
    if (kindOf(await approvalOf(context, session, call_id)) === 'question')
      questions.push({ call_id, decision: 'approved', answer_text: output_text })
  const isQuestion = (callId: string) => questions.some(question => question.call_id === callId)
  const approvals: AddressedApproval[] = []
  for (const approval of [...distinct(given.approvals), ...questions])
    approvals.push(await address(context, session, approval))
  const recorded = await submitAnswers(context, session, {
    outputs: outputs.filter(output => !isQuestion(output.call_id)),
    approvals,
    protocol: 'thread',
  })
  const said = { outputs, approvals }
  for (const answer of recorded) if (!answer.first) await mustAgree(context, session, answer, said)
  return startOf(recorded)
}

/** The latest new answer; when all were given before, the latest of those. */
function startOf(recorded: readonly RecordedAnswer[]): number {
  const fresh = recorded.filter(answer => answer.first)
  return Math.max(...(fresh.length > 0 ? fresh : recorded).map(answer => answer.seq))
}

/** One answer per call; repeated equal ones are one. */
function distinct<Answer extends { readonly call_id: string }>(given: readonly Answer[]): readonly Answer[] {
  const byCall = new Map<string, Answer>()
  for (const answer of given) {
    const before = byCall.get(answer.call_id)
    if (before && JSON.stringify(before) !== JSON.stringify(answer))
      throw new AppError('bad_request', 'Two different answers to one call.', { call_id: answer.call_id })
    byCall.set(answer.call_id, answer)
  }
  return [...byCall.values()]
}

const approvalOf = (context: ServerContext, session: string, callId: string) =>
  context.sessions.find(session, facts => findApprovalOf(facts, callId))

const kindOf = (fact: ApprovalFact | EndedApproval | undefined) =>
  fact && ('request' in fact ? fact.request.kind : fact.kind)

async function address(
  context: ServerContext,
  session: string,
  { call_id, ...answer }: ToolApprovalGiven,
): Promise<AddressedApproval> {
  const fact = await approvalOf(context, session, call_id)
  if (fact) return { approval_id: fact.approval_id, ...answer }
  const call = await context.sessions.find(session, facts => findCall(facts, call_id))
  if (!call) throw new AppError('unknown_call', `No call of this thread has the id ${call_id}.`, { call_id })
  if (call.isEnded) throw new AppError('expired', undefined, { call_id })
  throw new AppError('approval_not_found', 'This call waits for no approval.', { call_id })
}

interface AddressedAnswers {
  readonly outputs: AnswerInputs['outputs']
  readonly approvals: readonly AddressedApproval[]
}

/** An earlier answer exists: accepted if it is equal. */
async function mustAgree(
  context: ServerContext,
  session: string,
  answer: RecordedAnswer,
  said: AddressedAnswers,
): Promise<void> {
  const { call_id, seq, decision } = answer
  if (seq === 0) throw new AppError('expired', undefined, { call_id, decision })
  const [rec] = await context.store.read(session, seq - 1, 1)
  if (rec && isSame(rec.ev, answer, said)) return
  throw new AppError('already_answered', undefined, { call_id, ...(decision ? { decision } : {}) })
}

function isSame(ev: SessionEvent, answer: RecordedAnswer, said: AddressedAnswers): boolean {
  if (ev.type === 'input.tool_output') {
    const output = said.outputs.find(one => one.call_id === answer.call_id)
    return output?.output_text === ev.output_text && output.is_error === ev.is_error
  }
  if (ev.type !== 'input.approval') return false
  const approval = said.approvals.find(one => one.approval_id === answer.id)
  return (
    approval?.decision === ev.decision &&
    approval.edited_input_text === ev.edited_input_text &&
    approval.answer_text === ev.answer_text
  )
}
