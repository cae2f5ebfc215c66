/**
 * The question whether a call may run, made of the parts that `Approval` carries; a page may make another of them.
 * Questions of another kind are asked by `Question`.
 */
import type { ApprovalView, CallView } from '@toolwire/core/view'
import { defineComponent } from 'vue'
import { h } from '../shared/h.ts'
import { Actions, AnswerForm, ArgsEditor, DenyForm, Preview, Refusal, RulePicker } from './approval-parts.ts'
import { Root } from './approval-root.ts'
import { Question } from './question.ts'

export interface ApprovalProps {
  readonly call: CallView
  readonly approval: ApprovalView
}

export const Approval = Object.assign(
  defineComponent(
    (props: ApprovalProps) => () => {
      const { call, approval } = props
      if (approval.kind === 'question') return h(Question, { approval })
      return h(Root, { call, approval }, () => [
        h(Preview),
        h(Actions),
        h(RulePicker),
        h(ArgsEditor),
        h(DenyForm),
        h(AnswerForm),
        h(Refusal),
      ])
    },
    { name: 'Approval', props: ['call', 'approval'] },
  ),
  { Root, Preview, Actions, RulePicker, ArgsEditor, DenyForm, AnswerForm, Refusal },
)
