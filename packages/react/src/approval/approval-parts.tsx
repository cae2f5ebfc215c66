/**
 * The parts of a question whether a call may run. Nothing is shown as decided before the log says so: the buttons say
 * "sending" until the decision comes back as an event. A form is drawn when its button was pressed, or always with
 * `open`.
 */
import {
  approvalMessage,
  noRepeat,
  partLabels,
  shortLine,
  shortText,
  suggestedRule,
} from '@toolwire/core/parts'
import type { CallView } from '@toolwire/core/view'
import { type MouseEvent, type ReactNode, useContext } from 'react'
import { ToolCallContext } from '../call/tool-call-context.ts'
import { useSessionContext } from '../session/session-context.ts'
import { useAnswers } from '../session/use-session.ts'
import { contentOf, type PartContent } from '../shared/part-content.ts'
import { useApprovalContext } from './approval-context.ts'
import { ArgsForm } from './args-form.tsx'
import { AskedBody } from './asked-body.tsx'
import { RuleForm } from './rule-form.tsx'
import { TextForm } from './text-form.tsx'

export interface ApprovalPartProps {
  /** In place of the part's own content; a function gets the call. */
  readonly children?: PartContent<CallView>
}

/** The reason of the question; outside of the call's own card also the preview. */
export function Preview({ children }: ApprovalPartProps) {
  const { call, approval, state } = useApprovalContext()
  const { t } = useSessionContext()
  const message = approvalMessage(approval, t)
  const inside = useContext(ToolCallContext)?.call.id === call.id
  if (children === undefined && message === '' && inside) return null
  return (
    <div data-tw-part="approval-preview" data-tw-state={state}>
      {contentOf(children, call, () => (
        <>
          {message !== '' && <p data-tw-part="approval-message">{shortText(message)}</p>}
          {!inside && <AskedBody call={call} />}
        </>
      ))}
    </div>
  )
}

/** The buttons, and the rule that one of them offers. */
export function Actions({ children }: ApprovalPartProps) {
  const { call, approval, mode, go, sending, run, state, asked } = useApprovalContext()
  const { t } = useSessionContext()
  const { approve } = useAnswers()
  const rule = suggestedRule(approval)
  if (mode !== 'choose') return null
  // Nothing is allowed that was not shown; the second half of a double click decides nothing.
  const allowing = (act: () => void) => (event: MouseEvent) => {
    if (asked.isHidden) asked.showFull()
    else if (event.detail < 2) act()
  }
  const edit = () => {
    asked.showFull()
    go('edit')
  }
  return (
    <>
      <HiddenNote isCut={asked.isCut} full={asked.full} />
      <div data-tw-part="approval-actions" data-tw-state={state} data-sending={sending}>
        {contentOf(children, call, () => (
          <>
            <button
              type="button"
              data-tw-part="allow-once"
              disabled={sending}
              onClick={allowing(() => run(() => approve(approval.id)))}
              onKeyDown={noRepeat}
            >
              {t(sending ? 'approval.sending' : 'approval.allow_once')}
            </button>
            <button type="button" data-tw-part="deny" disabled={sending} onClick={() => go('deny')}>
              {t('approval.deny')}
            </button>
            <span data-tw-part="approval-more">
              <button
                type="button"
                data-tw-part="allow-rule"
                disabled={sending}
                onClick={allowing(() => go('rule'))}
                onKeyDown={noRepeat}
              >
                {t('approval.allow_session')}
              </button>
              {approval.allow_edit && (
                <button type="button" data-tw-part="edit" disabled={sending} onClick={edit}>
                  {t('approval.edit')}
                </button>
              )}
              <button type="button" data-tw-part="answer" disabled={sending} onClick={() => go('answer')}>
                {t('approval.answer')}
              </button>
            </span>
          </>
        ))}
      </div>
      {rule !== undefined && (
        <p data-tw-part="rule">
          {t('approval.rule', { rule: '' })}
          <code>{shortLine(rule)}</code>
        </p>
      )}
    </>
  )
}

/** Says that something is hidden, or that it no longer is. */
export function HiddenNote({ isCut, full }: { readonly isCut: boolean; readonly full: boolean }) {
  const { t } = useSessionContext()
  const { part_hidden, all_shown } = partLabels(t)
  if (!isCut) return null
  return (
    <p data-tw-part="approval-note" role="status">
      {full ? all_shown : part_hidden}
    </p>
  )
}

export interface ApprovalFormProps {
  /** Drawn without its button, and without a way back. */
  readonly open?: boolean
}

/** Allows the call and keeps a rule: its text, and for how long. */
export function RulePicker({ open = false }: ApprovalFormProps) {
  const { call, approval, sending, run, state } = useApprovalContext()
  const { approve } = useAnswers()
  const back = useBack('rule', open)
  if (!back) return null
  return (
    <div data-tw-part="rule-picker" data-tw-state={state}>
      <RuleForm
        rule={suggestedRule(approval) ?? call.name}
        busy={sending}
        {...back}
        onSubmit={kept => run(() => approve(approval.id, kept))}
      />
    </div>
  )
}

/** Allows the call with other arguments. Draws nothing where the question allows none. */
export function ArgsEditor({ open = false }: ApprovalFormProps) {
  const { call, approval, sending, run, state } = useApprovalContext()
  const { approve } = useAnswers()
  const back = useBack('edit', open)
  if (!back || !approval.allow_edit) return null
  return (
    <div data-tw-part="args-editor" data-tw-state={state}>
      <ArgsForm
        call={call}
        busy={sending}
        {...back}
        onSubmit={input => run(() => approve(approval.id, { input }))}
      />
    </div>
  )
}

/** Denies the call, with a reason for the model or without one. */
export function DenyForm({ open = false }: ApprovalFormProps) {
  const { approval, sending, run, state } = useApprovalContext()
  const { t } = useSessionContext()
  const { deny } = useAnswers()
  const back = useBack('deny', open)
  if (!back) return null
  return (
    <div data-tw-part="deny-form" data-tw-state={state}>
      <TextForm
        {...back}
        busy={sending}
        label={t('approval.deny_reason')}
        submit={t('approval.deny')}
        danger
        optional
        onSubmit={text => run(() => deny(approval.id, text === '' ? undefined : text))}
      />
    </div>
  )
}

/** Gives the call an answer instead of running it. */
export function AnswerForm({ open = false }: ApprovalFormProps) {
  const { approval, sending, run, state } = useApprovalContext()
  const { t } = useSessionContext()
  const { answer } = useAnswers()
  const back = useBack('answer', open)
  if (!back) return null
  return (
    <div data-tw-part="answer-form" data-tw-state={state}>
      <TextForm
        {...back}
        busy={sending}
        label={t('approval.answer')}
        rows={3}
        submit={t('approval.send')}
        onSubmit={text => run(() => answer(approval.id, text))}
      />
    </div>
  )
}

/** The error of the last answer. */
export function Refusal(): ReactNode {
  const { error } = useApprovalContext()
  if (error === '') return null
  return (
    <p data-tw-part="error" role="alert">
      {error}
    </p>
  )
}

interface Back {
  readonly focus: boolean
  readonly onCancel?: () => void
}

/** Leaves a form; undefined while it is not drawn. One that was opened by a button takes the focus. */
function useBack(form: 'rule' | 'edit' | 'deny' | 'answer', open: boolean): Back | undefined {
  const { mode, go } = useApprovalContext()
  if (mode === form) return { focus: true, onCancel: () => go('choose') }
  return open ? { focus: false } : undefined
}
