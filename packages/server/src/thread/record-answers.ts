/**
 * Answers of this wire name calls; the log knows what each call waits for. This addresses them,
 * records them through the same door as every other wire, and tells contradictions.
 */
import { AppError, type SessionEvent } from '@toolwire/core'
import type { AddressedApproval, ThreadAnswersCommand, ToolApprovalGiven } from '@toolwire/wire'
import { appendAnswers, type RecordedAnswer } from '../append-answers.ts'
import type { ServerContext } from '../context.ts'
import type { ApprovalFact, SessionSummary } from '../session-summary.ts'

type Given = Pick<ThreadAnswersCommand, 'outputs' | 'approvals'>

/**
 * Records every answer or none; returns the place in the log from which the answer is followed.
 * Throws `unknown_call`, `not_a_client_tool`, `already_answered`, `expired`, `approval_not_found`
 * or `bad_request`. An answer that was recorded before with the same content is no error.
 */
export async function recordAnswers(context: ServerContext, session: string, given: Given): Promise<number> {
  const summary = await context.summaries.get(session)
  const outputs = distinct(given.outputs)
  const questions = outputs.flatMap(output => {
    const asked = approvalOf(summary, output.call_id)
    if (asked?.request.kind !== 'question') return []
    return [{ call_id: output.call_id, decision: 'approved', answer_text: output.output_text } as const]
  })
  const isQuestion = (callId: string) => questions.some(question => question.call_id === callId)
  const approvals = [...distinct(given.approvals), ...questions].map(approval => address(summary, approval))
  const recorded = await appendAnswers(context, session, {
    outputs: outputs.filter(output => !isQuestion(output.call_id)),
    approvals,
    by: 'client',
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

/** One answer per call; the same one twice in a request counts once. */
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

function approvalOf(summary: SessionSummary, callId: string): ApprovalFact | undefined {
  return [...summary.approvals.values()].findLast(fact => fact.call_id === callId)
}

function address(summary: SessionSummary, given: ToolApprovalGiven): AddressedApproval {
  const { call_id, ...answer } = given
  const fact = approvalOf(summary, call_id)
  if (fact) return { approval_id: fact.approval_id, ...answer }
  const call = summary.calls.get(call_id)
  if (!call) throw new AppError('unknown_call', `No call of this thread has the id ${call_id}.`, { call_id })
  if (call.ended) throw new AppError('expired', undefined, { call_id })
  throw new AppError('approval_not_found', 'This call waits for no approval.', { call_id })
}

interface Said {
  readonly outputs: Given['outputs']
  readonly approvals: readonly AddressedApproval[]
}

/** Somebody was first: fine when they said the same. */
async function mustAgree(
  context: ServerContext,
  session: string,
  answer: RecordedAnswer,
  said: Said,
): Promise<void> {
  const { call_id, seq, decision } = answer
  if (seq === 0) throw new AppError('expired', undefined, { call_id, decision })
  const [rec] = await context.store.read(session, seq - 1, 1)
  if (rec && isSame(rec.ev, answer, said)) return
  throw new AppError('already_answered', undefined, { call_id, ...(decision ? { decision } : {}) })
}

function isSame(ev: SessionEvent, answer: RecordedAnswer, said: Said): boolean {
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
