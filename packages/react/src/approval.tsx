/**
 * The question whether a call may run. Nothing is shown as decided before the log says so: the
 * buttons say "sending" until the decision comes back as an event.
 */
import { approvalMessage, shortLine, shortText, suggestedRule } from '@toolwire/core/parts'
import type { ApprovalView, CallView } from '@toolwire/core/view'
import { type ReactNode, useState } from 'react'
import { ArgsForm } from './args-form.tsx'
import { QuestionForm } from './question-form.tsx'
import { RuleForm } from './rule-form.tsx'
import { useSessionContext } from './session-context.ts'
import { TextForm } from './text-form.tsx'
import { useSending } from './use-sending.ts'
import { useAnswers } from './use-session.ts'

export interface ApprovalProps {
  readonly call: CallView
  readonly approval: ApprovalView
}

type Mode = 'choose' | 'rule' | 'deny' | 'edit' | 'answer'

export function Approval({ call, approval }: ApprovalProps) {
  const { t } = useSessionContext()
  if (approval.kind === 'question') return <QuestionForm approval={approval} />
  const message = approvalMessage(approval, t)
  return (
    <section data-tw-part="approval" aria-label={t('approval.title', { name: call.name })}>
      {message !== '' && <p data-tw-part="approval-message">{shortText(message)}</p>}
      <Decide call={call} approval={approval} />
    </section>
  )
}

function Decide({ call, approval }: ApprovalProps) {
  const { t } = useSessionContext()
  const { approve, deny, answer } = useAnswers()
  const { sending, error, run } = useSending()
  const [mode, setMode] = useState<Mode>('choose')
  const back = () => setMode('choose')
  const form = { busy: sending, onCancel: back, focus: true }
  const rule = suggestedRule(approval)
  const forms: Readonly<Record<Exclude<Mode, 'choose'>, () => ReactNode>> = {
    rule: () => (
      <RuleForm
        rule={rule ?? call.name}
        busy={sending}
        onCancel={back}
        onSubmit={kept => run(() => approve(approval.id, kept))}
      />
    ),
    deny: () => (
      <TextForm
        {...form}
        label={t('approval.deny_reason')}
        submit={t('approval.deny')}
        danger
        optional
        onSubmit={text => run(() => deny(approval.id, text === '' ? undefined : text))}
      />
    ),
    edit: () => (
      <ArgsForm
        call={call}
        busy={sending}
        onCancel={back}
        onSubmit={input => run(() => approve(approval.id, { input }))}
      />
    ),
    answer: () => (
      <TextForm
        {...form}
        label={t('approval.answer')}
        rows={3}
        submit={t('approval.send')}
        onSubmit={text => run(() => answer(approval.id, text))}
      />
    ),
  }
  return (
    <>
      {mode === 'choose' ? (
        <div data-tw-part="approval-actions" data-sending={sending}>
          <button
            type="button"
            data-tw-part="allow-once"
            disabled={sending}
            onClick={() => run(() => approve(approval.id))}
          >
            {t(sending ? 'approval.sending' : 'approval.allow_once')}
          </button>
          <button type="button" data-tw-part="deny" disabled={sending} onClick={() => setMode('deny')}>
            {t('approval.deny')}
          </button>
          <span data-tw-part="approval-more">
            <button
              type="button"
              data-tw-part="allow-rule"
              disabled={sending}
              onClick={() => setMode('rule')}
            >
              {t('approval.allow_session')}
            </button>
            {approval.allow_edit && (
              <button type="button" data-tw-part="edit" disabled={sending} onClick={() => setMode('edit')}>
                {t('approval.edit')}
              </button>
            )}
            <button type="button" data-tw-part="answer" disabled={sending} onClick={() => setMode('answer')}>
              {t('approval.answer')}
            </button>
          </span>
        </div>
      ) : (
        forms[mode]()
      )}
      {mode === 'choose' && rule !== undefined && (
        <p data-tw-part="rule">
          {t('approval.rule', { rule: '' })}
          <code>{shortLine(rule)}</code>
        </p>
      )}
      {error && (
        <p data-tw-part="error" role="alert">
          {error}
        </p>
      )}
    </>
  )
}
