/**
 * The question whether a call may run. Nothing is shown as decided before the log says so: the
 * buttons say "sending" until the decision comes back as an event.
 */
import { approvalMessage, shortLine, shortText, suggestedRule } from '@toolwire/core/parts'
import type { ApprovalView, CallView } from '@toolwire/core/view'
import { defineComponent, h, shallowRef, type VNode } from 'vue'
import { ArgsForm } from './args-form.ts'
import { QuestionForm } from './question-form.ts'
import { RuleForm } from './rule-form.ts'
import { useSessionContext } from './session-context.ts'
import { TextForm, type TextFormProps } from './text-form.ts'
import { alertText, useSending } from './use-sending.ts'
import { useAnswers } from './use-session.ts'

export interface ApprovalProps {
  readonly call: CallView
  readonly approval: ApprovalView
}

type Mode = 'choose' | 'rule' | 'deny' | 'edit' | 'answer'

export const Approval = defineComponent(
  (props: ApprovalProps) => {
    const { t } = useSessionContext()
    return () => {
      const { call, approval } = props
      if (approval.kind === 'question') return h(QuestionForm, { approval })
      const label = t.value('approval.title', { name: call.name })
      const message = approvalMessage(approval, t.value)
      return h('section', { 'data-tw-part': 'approval', 'aria-label': label }, [
        message === '' ? null : h('p', { 'data-tw-part': 'approval-message' }, shortText(message)),
        h(Decide, { call, approval }),
      ])
    }
  },
  { name: 'Approval', props: ['call', 'approval'] },
)

const Decide = defineComponent(
  (props: ApprovalProps) => {
    const { t } = useSessionContext()
    const answers = useAnswers()
    const { sending, error, run } = useSending()
    const mode = shallowRef<Mode>('choose')
    const go = (next: Mode) => () => {
      mode.value = next
    }
    const form = (given: Omit<TextFormProps, 'busy' | 'focus' | 'onCancel'>): VNode =>
      h(TextForm, { ...given, key: mode.value, busy: sending.value, focus: true, onCancel: go('choose') })
    const forms: Readonly<Record<Exclude<Mode, 'choose'>, () => VNode>> = {
      rule: () =>
        h(RuleForm, {
          rule: suggestedRule(props.approval) ?? props.call.name,
          busy: sending.value,
          onCancel: go('choose'),
          onSubmit: kept => run(() => answers.approve(props.approval.id, kept)),
        }),
      deny: () =>
        form({
          label: t.value('approval.deny_reason'),
          submit: t.value('approval.deny'),
          danger: true,
          optional: true,
          onSubmit: text => run(() => answers.deny(props.approval.id, text === '' ? undefined : text)),
        }),
      edit: () =>
        h(ArgsForm, {
          call: props.call,
          busy: sending.value,
          onCancel: go('choose'),
          onSubmit: (input: unknown) => run(() => answers.approve(props.approval.id, { input })),
        }),
      answer: () =>
        form({
          label: t.value('approval.answer'),
          rows: 3,
          submit: t.value('approval.send'),
          onSubmit: text => run(() => answers.answer(props.approval.id, text)),
        }),
    }
    const allow = () => run(() => answers.approve(props.approval.id))
    const button = (part: string, words: string, onClick: () => void): VNode =>
      h('button', { type: 'button', 'data-tw-part': part, disabled: sending.value, onClick }, words)
    const choices = () =>
      h('div', { 'data-tw-part': 'approval-actions', 'data-sending': sending.value }, [
        button('allow-once', t.value(sending.value ? 'approval.sending' : 'approval.allow_once'), allow),
        button('deny', t.value('approval.deny'), go('deny')),
        h('span', { 'data-tw-part': 'approval-more' }, [
          button('allow-rule', t.value('approval.allow_session'), go('rule')),
          props.approval.allow_edit ? button('edit', t.value('approval.edit'), go('edit')) : null,
          button('answer', t.value('approval.answer'), go('answer')),
        ]),
      ])
    return () => {
      const rule = suggestedRule(props.approval)
      return [
        mode.value === 'choose' ? choices() : forms[mode.value](),
        mode.value === 'choose' && rule !== undefined
          ? h('p', { 'data-tw-part': 'rule' }, [
              t.value('approval.rule', { rule: '' }),
              h('code', shortLine(rule)),
            ])
          : null,
        alertText(error.value),
      ]
    }
  },
  { name: 'Decide', props: ['call', 'approval'] },
)
