/** Hooks in place of the person who would be asked: about permission, and for the answer that a call needs. */
import type { EventOf, LifecycleHooks, SessionEvent, Tool } from '@toolwire/core'
import type { Verdict } from '../permissions/verdict.ts'
import { readFormAnswer } from '../questions/form-answer.ts'
import type { CallWork } from './call-context.ts'
import { applyHookDecision } from './hooked-call.ts'

/** Hooks decide what rules leave open. They allow nothing that a rule wants to be asked about, or denies. */
export async function decideByHook(
  verdict: Verdict,
  { tool, input }: { readonly tool: Tool; readonly input: unknown },
  work: CallWork,
  hooks: LifecycleHooks | undefined,
): Promise<Verdict> {
  if (verdict.decision !== 'ask' || tool.question || !hooks?.watches('permission_request')) return verdict
  const { call_id, cwd } = work.context
  const { decision, reason } = await hooks.ask(
    { event: 'permission_request', call_id, tool: tool.name, input, reason: verdict.reason, cwd },
    work,
  )
  if (decision !== 'allow' && decision !== 'deny') return verdict
  const because = reason ?? (decision === 'allow' ? 'A hook allowed it.' : 'A hook denied it.')
  return applyHookDecision(verdict, { decision, reason: because, notes: [] })
}

type QuestionEvent = EventOf<'tool.approval_requested'>

/** The question with the answer of a hook, if one gave an answer that fits. */
export async function askWithHooks(
  asked: QuestionEvent,
  work: CallWork,
  hooks: LifecycleHooks | undefined,
): Promise<readonly SessionEvent[]> {
  if (asked.kind !== 'question' || !hooks?.watches('elicitation')) return [asked]
  const { call_id, name, message = '', schema, url } = asked
  const { decision, reason, answer_text } = await hooks.ask(
    {
      event: 'elicitation',
      call_id,
      tool: name,
      message,
      ...(schema === undefined ? {} : { schema }),
      ...(url === undefined ? {} : { url }),
    },
    work,
  )
  const chosen = decisionOf(decision, answer_text)
  if (chosen === undefined || !isFitting(asked, chosen, answer_text)) return [asked]
  const { voice } = work
  const answer: EventOf<'input.approval'> = {
    type: 'input.approval',
    ...voice.stamp(),
    approval_id: asked.approval_id,
    call_id,
    decision: chosen,
    by: 'hook',
    ...(reason === undefined ? {} : { reason }),
    ...(answer_text === undefined ? {} : { answer_text }),
  }
  return [asked, answer]
}

type UserDecision = EventOf<'input.approval'>['decision']

function decisionOf(decision: string | undefined, text: string | undefined): UserDecision | undefined {
  if (decision === 'decline') return 'denied'
  if (decision === 'cancel') return 'cancelled'
  return text === undefined ? undefined : 'approved'
}

const isFitting = ({ schema }: QuestionEvent, decision: UserDecision, text: string | undefined): boolean =>
  readFormAnswer(schema, { decision, ...(text === undefined ? {} : { text }) }).ok
