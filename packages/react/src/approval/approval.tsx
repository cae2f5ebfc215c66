/**
 * The question whether a call may run, made of the parts that `Approval` carries; a page may make another of them.
 * Questions of another kind are asked by `Question`.
 */
import type { ApprovalView, CallView } from '@toolwire/core/view'
import { Actions, AnswerForm, ArgsEditor, DenyForm, Preview, Refusal, RulePicker } from './approval-parts.tsx'
import { Root } from './approval-root.tsx'
import { Question } from './question.tsx'

export interface ApprovalProps {
  readonly call: CallView
  readonly approval: ApprovalView
}

export const Approval = Object.assign(
  function Approval({ call, approval }: ApprovalProps) {
    if (approval.kind === 'question') return <Question approval={approval} />
    return (
      <Root call={call} approval={approval}>
        <Preview />
        <Actions />
        <RulePicker />
        <ArgsEditor />
        <DenyForm />
        <AnswerForm />
        <Refusal />
      </Root>
    )
  },
  { Root, Preview, Actions, RulePicker, ArgsEditor, DenyForm, AnswerForm, Refusal },
)
