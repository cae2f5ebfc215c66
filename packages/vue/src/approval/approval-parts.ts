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
import type { Translate } from '@toolwire/core/view'
import { defineComponent, inject, type VNode } from 'vue'
import { TOOL_CALL } from '../call/tool-call-context.ts'
import { type SessionContextValue, useSessionContext } from '../session/session-context.ts'
import { useAnswers } from '../session/use-session.ts'
import { h } from '../shared/h.ts'
import { type ApprovalContextValue, type ApprovalMode, useApprovalContext } from './approval-context.ts'
import { ArgsForm } from './args-form.ts'
import { AskedBody } from './asked-body.ts'
import { RuleForm } from './rule-form.ts'
import { TextForm } from './text-form.ts'
import { alertText } from './use-sending.ts'

/** The reason of the question; outside of the call's own card also the preview. The default slot gets `call`. */
export const Preview = defineComponent(
  (_props: Record<never, never>, { slots }) => {
    const { t } = useSessionContext()
    const { call, approval, state } = useApprovalContext()
    const around = inject(TOOL_CALL, undefined)
    return () => {
      const message = approvalMessage(approval.value, t.value)
      const inside = around?.call.value.id === call.value.id
      const given = slots['default']?.({ call: call.value })
      if (!given && message === '' && inside) return null
      return h(
        'div',
        { 'data-tw-part': 'approval-preview', 'data-tw-state': state.value },
        given ?? [
          message === '' ? null : h('p', { 'data-tw-part': 'approval-message' }, shortText(message)),
          inside ? null : h(AskedBody, { call: call.value }),
        ],
      )
    }
  },
  { name: 'ApprovalPreview' },
)

/** The buttons, and the rule that one of them offers. The default slot, with `call`, takes the place of the buttons. */
export const Actions = defineComponent(
  (_props: Record<never, never>, { slots }) => {
    const { t } = useSessionContext()
    const { approve } = useAnswers()
    const { call, approval, mode, go, sending, run, state, asked } = useApprovalContext()
    // Nothing is allowed that was not shown; the second half of a double click decides nothing.
    const allowing = (act: () => void) => (event: MouseEvent) => {
      if (asked.value.isHidden) asked.value.showFull()
      else if (event.detail < 2) act()
    }
    const edit = () => {
      asked.value.showFull()
      go('edit')
    }
    const button = (part: string, words: string, onClick: (event: MouseEvent) => void): VNode =>
      h(
        'button',
        { type: 'button', 'data-tw-part': part, disabled: sending.value, onClick, onKeydown: noRepeat },
        words,
      )
    const choices = () => [
      button(
        'allow-once',
        t.value(sending.value ? 'approval.sending' : 'approval.allow_once'),
        allowing(() => run(() => approve(approval.value.id))),
      ),
      button('deny', t.value('approval.deny'), () => go('deny')),
      h('span', { 'data-tw-part': 'approval-more' }, [
        button(
          'allow-rule',
          t.value('approval.allow_session'),
          allowing(() => go('rule')),
        ),
        approval.value.allow_edit ? button('edit', t.value('approval.edit'), edit) : null,
        button('answer', t.value('approval.answer'), () => go('answer')),
      ]),
    ]
    return () => {
      if (mode.value !== 'choose') return null
      const rule = suggestedRule(approval.value)
      const attributes = { 'data-tw-state': state.value, 'data-sending': sending.value }
      return [
        hiddenNote(t.value, asked.value),
        h(
          'div',
          { 'data-tw-part': 'approval-actions', ...attributes },
          slots['default']?.({ call: call.value }) ?? choices(),
        ),
        rule === undefined
          ? null
          : h('p', { 'data-tw-part': 'rule' }, [
              t.value('approval.rule', { rule: '' }),
              h('code', shortLine(rule)),
            ]),
      ]
    }
  },
  { name: 'ApprovalActions' },
)

/** Says that something is hidden, or that it no longer is. */
export function hiddenNote(
  t: Translate,
  { isCut, full }: { readonly isCut: boolean; readonly full: boolean },
): VNode | null {
  const { part_hidden, all_shown } = partLabels(t)
  return isCut
    ? h('p', { 'data-tw-part': 'approval-note', role: 'status' }, full ? all_shown : part_hidden)
    : null
}

export interface ApprovalFormProps {
  /** Drawn without its button, and without a way back. */
  readonly open?: boolean
}

interface DrawnForm extends ApprovalContextValue {
  readonly t: SessionContextValue['t']['value']
  readonly answers: ReturnType<typeof useAnswers>
  /** Props of every form. One that was opened by a button takes the focus and has a way back. */
  readonly shared: { readonly busy: boolean; readonly focus: boolean; readonly onCancel?: () => void }
}

interface Form {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly mode: Exclude<ApprovalMode, 'choose'>
  readonly draw: (drawn: DrawnForm) => VNode | null
}

const defineForm = ({ name, attributes, mode, draw }: Form) =>
  defineComponent(
    (props: ApprovalFormProps) => {
      const { t } = useSessionContext()
      const answers = useAnswers()
      const context = useApprovalContext()
      return () => {
        const chosen = context.mode.value === mode
        if (!chosen && !props.open) return null
        const back = chosen ? { onCancel: () => context.go('choose') } : {}
        const shared = { busy: context.sending.value, focus: chosen, ...back }
        const drawn = draw({ ...context, t: t.value, answers, shared })
        return drawn && h('div', { ...attributes, 'data-tw-state': context.state.value }, [drawn])
      }
    },
    { name, props: { open: Boolean } },
  )

/** Allows the call and keeps a rule: its text, and for how long. */
export const RulePicker = defineForm({
  name: 'ApprovalRulePicker',
  attributes: { 'data-tw-part': 'rule-picker' },
  mode: 'rule',
  draw: ({ call, approval, answers, run, shared }) =>
    h(RuleForm, {
      ...shared,
      rule: suggestedRule(approval.value) ?? call.value.name,
      onSubmit: kept => run(() => answers.approve(approval.value.id, kept)),
    }),
})

/** Allows the call with other arguments. Draws nothing where the question allows none. */
export const ArgsEditor = defineForm({
  name: 'ApprovalArgsEditor',
  attributes: { 'data-tw-part': 'args-editor' },
  mode: 'edit',
  draw: ({ call, approval, answers, run, shared }) =>
    approval.value.allow_edit
      ? h(ArgsForm, {
          ...shared,
          call: call.value,
          onSubmit: (input: unknown) => run(() => answers.approve(approval.value.id, { input })),
        })
      : null,
})

/** Denies the call, with a reason for the model or without one. */
export const DenyForm = defineForm({
  name: 'ApprovalDenyForm',
  attributes: { 'data-tw-part': 'deny-form' },
  mode: 'deny',
  draw: ({ t, approval, answers, run, shared }) =>
    h(TextForm, {
      ...shared,
      label: t('approval.deny_reason'),
      submit: t('approval.deny'),
      danger: true,
      optional: true,
      onSubmit: text => run(() => answers.deny(approval.value.id, text === '' ? undefined : text)),
    }),
})

/** Gives the call an answer instead of running it. */
export const AnswerForm = defineForm({
  name: 'ApprovalAnswerForm',
  attributes: { 'data-tw-part': 'answer-form' },
  mode: 'answer',
  draw: ({ t, approval, answers, run, shared }) =>
    h(TextForm, {
      ...shared,
      label: t('approval.answer'),
      rows: 3,
      submit: t('approval.send'),
      onSubmit: text => run(() => answers.answer(approval.value.id, text)),
    }),
})

/** The error of the last answer. */
export const Refusal = defineComponent(
  () => {
    const { error } = useApprovalContext()
    return () => alertText(error.value)
  },
  { name: 'ApprovalRefusal' },
)
