/** Asking and being answered, as events. The question's content comes from the log, never from the answer. */
import type { CallQuestion, CallState, EventOf } from '@toolwire/core'
import type { Verdict } from '../permissions/verdict.ts'
import { type CallFailure, denied } from '../tool-failure.ts'
import type { CallWork } from './call-context.ts'
import type { CallPlan } from './preflight.ts'
import { type Terminal, toCompleted, toFailed } from './terminal.ts'

/** Time to answer for users and pages; unlimited if absent. */
export interface Expiry {
  readonly approval_ms?: number
  readonly client_ms?: number
}

/** The moment `ms` after `ts`, as events write it; undefined when there is no limit. */
export function laterBy(ts: string, ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(Date.parse(ts) + ms).toISOString()
}

/** The question about a call. Previews are shown beside it; one that fails is left out. */
export async function askFor(plan: CallPlan, expiry: Expiry): Promise<EventOf<'tool.approval_requested'>> {
  const { work, tool, input, verdict } = plan
  const { voice, call, scope } = work
  const preview = await tool.preview?.(input, work.context).catch(() => undefined)
  const stamp = voice.stamp()
  const question = tool.question?.(input)
  return {
    type: 'tool.approval_requested',
    ...stamp,
    expires_at: laterBy(stamp.ts, expiry.approval_ms),
    approval_id: voice.newId(`apr_${scope.session_id}.`),
    call_id: call.call_id,
    name: call.name,
    kind: question ? 'question' : 'approval',
    message: question?.message ?? verdict.reason,
    options: question?.options && [...question.options],
    schema: question?.schema && { ...question.schema },
    allow_edit: question === undefined,
    details: toDetails(verdict, tool.view?.(input), preview),
  }
}

/** A question of a running call. Its call continues with the answer. */
export function askDuring(
  question: CallQuestion,
  { voice, call, scope }: Pick<CallWork, 'voice' | 'call' | 'scope'>,
  expiry: Expiry,
): EventOf<'tool.approval_requested'> {
  const stamp = voice.stamp()
  const { message, options, schema, url, details } = question
  return {
    type: 'tool.approval_requested',
    ...stamp,
    expires_at: laterBy(stamp.ts, expiry.approval_ms),
    approval_id: voice.newId(`apr_${scope.session_id}.`),
    call_id: call.call_id,
    name: call.name,
    kind: 'question',
    message,
    options: options && [...options],
    allow_edit: false,
    resumes: true,
    schema: schema && { ...schema },
    url,
    details,
  }
}

function toDetails(verdict: Verdict, view: unknown, preview: unknown): Readonly<Record<string, unknown>> {
  const { suggestion, parts, rule, why, subject } = verdict
  return {
    reason: verdict.reason,
    ...(why === undefined ? {} : { why }),
    ...(suggestion === undefined ? {} : { suggested_rule: suggestion }),
    ...(parts === undefined ? {} : { parts }),
    ...(subject?.type === 'path' ? { path: subject.path } : {}),
    ...(rule === undefined ? {} : { rule: rule.text, source: rule.source }),
    ...(view === undefined ? {} : { view }),
    ...(preview === undefined ? {} : { preview }),
  }
}

type Approval = NonNullable<CallState['approval']>
type ApprovalResolved = EventOf<'tool.approval_resolved'>

/** Processes an answer that the run has not recorded yet. */
export function resolveAnswer({
  call,
  voice,
}: Pick<CallWork, 'call' | 'voice'>): ApprovalResolved | undefined {
  const { approval } = call
  if (!approval?.answer || approval.decision) return undefined
  const { decision, reason, edited_input_text, answer_text, rule, rule_expires_at, by } = approval.answer
  return {
    type: 'tool.approval_resolved',
    ...voice.stamp(),
    approval_id: approval.approval_id,
    call_id: call.call_id,
    decision,
    by: by ?? 'user',
    ...(reason === undefined ? {} : { reason }),
    ...(edited_input_text === undefined ? {} : { edited_input_text }),
    ...(answer_text === undefined ? {} : { answer_text }),
    ...(rule === undefined ? {} : { rule }),
    ...(rule_expires_at === undefined ? {} : { rule_expires_at }),
  }
}

/** The call as it is after its answer was recorded. */
export function withAnswer(call: CallState, answer: ApprovalResolved | undefined): CallState {
  if (!answer || !call.approval) return call
  const { decision, reason, edited_input_text, answer_text } = answer
  const approval: Approval = {
    ...call.approval,
    decision,
    ...(reason === undefined ? {} : { reason }),
    ...(edited_input_text === undefined ? {} : { edited_input_text }),
    ...(answer_text === undefined ? {} : { answer_text }),
  }
  return { ...call, approval }
}

/** The outcome of the decision alone: a denial, or an answer given instead of running. */
export function settledByDecision({ call, voice }: Pick<CallWork, 'call' | 'voice'>): Terminal | undefined {
  const { approval } = call
  if (!approval?.decision || approval.resumes) return undefined
  const work = { call, voice }
  switch (approval.decision) {
    case 'approved':
      return approval.answer_text === undefined
        ? undefined
        : toCompleted(work, { output_text: approval.answer_text }, 0)
    case 'denied':
      if (approval.answer_text !== undefined)
        return toCompleted(work, { output_text: approval.answer_text }, 0)
      return toFailed(work, notAllowed(approval.reason))
    case 'expired':
      return toFailed(
        work,
        denied(
          'expired',
          'Nobody answered the question whether this may run, so it was not run.',
          undefined,
          NOT_ANSWERED,
        ),
      )
    case 'cancelled':
      return toFailed(
        work,
        denied(
          'denied_user',
          'The question whether this may run was withdrawn, so it was not run.',
          undefined,
          NOT_ASKED,
        ),
      )
  }
}

const REST = 'Continue with the rest, and name this at the end as what still needs permission.'
const NOT_ANSWERED = `The question whether this call may run was not answered in time; nothing was executed. ${REST}`
const NOT_ASKED = `The question whether this call may run was withdrawn; nothing was executed. ${REST}`

/** The denial of a rule, a hook or a mode as the model reads it. */
export function denialText({ scope }: Pick<CallWork, 'scope'>, { code, reason }: Verdict): string {
  const sentence = /[.!?。]$/.test(reason) ? reason : `${reason}.`
  const text = `${sentence} Nothing was executed.`
  if (code !== 'denied_mode')
    return `${text} What it was for is not allowed: do not reach it another way, continue with the rest, and report it.`
  return scope.session().permission_mode === 'dontAsk' ? `${text} ${REST}` : text
}

/** People read what was said; the model also what to make of it. */
function notAllowed(reason: string | undefined): CallFailure {
  const said = reason ? ` They said: ${reason}` : ''
  const rest = reason ? '' : ' Do not repeat it; ask what to do instead or choose another way.'
  const text = `The user did not allow this call; nothing was executed.${said}${rest}`
  return denied('denied_user', `The call was not allowed.${said}`, { reason }, text)
}
