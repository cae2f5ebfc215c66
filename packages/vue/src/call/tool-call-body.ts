/** The content of an open call, part by part. Empty parts draw nothing. */
import {
  failureText,
  isAsked,
  isOnlyQuestion,
  isWaitingForUser,
  questionBlocks,
  shortLine,
  shortText,
} from '@toolwire/core/parts'
import { type CallView, isFinal } from '@toolwire/core/view'
import { defineComponent } from 'vue'
import { Approval } from '../approval/approval.ts'
import { AskedBody } from '../approval/asked-body.ts'
import { LongText } from '../output/long-text.ts'
import { CopyButton } from '../shared/copy-button.ts'
import { h } from '../shared/h.ts'
import { ClientCall } from './client-call.ts'
import { ToolBody } from './tool-body.ts'
import { definePart, useDrawnCall } from './tool-call-part.ts'

/** Drawn while the card is open. */
export const Body = definePart('ToolCallBody', {
  tag: 'div',
  attributes: ({ open, body }) => (open ? { 'data-tw-part': 'tool-body', id: body } : undefined),
  content: () => [h(ErrorText), h(Output), h(Decision), h(Waiting), h(Actions)],
})

/** The error, and the check or step that failed. */
export const ErrorText = definePart('ToolCallError', {
  tag: 'p',
  attributes: ({ call }) =>
    failureText(call) === '' ? undefined : { 'data-tw-part': 'tool-error', 'data-layer': call.result?.layer },
  content({ call, t }) {
    const layer = call.result?.layer
    return [layer ? h('strong', t(`layer.${layer}`)) : null, h('span', shortText(failureText(call)))]
  },
})

/** The action and output of the call, as its tool's renderer displays them. */
export const Output = definePart('ToolCallOutput', {
  tag: 'div',
  attributes: ({ call, picture }) =>
    isOnlyQuestion(call, picture.body) ? undefined : { 'data-tw-part': 'tool-output' },
  content: ({ call, picture }) => [
    isAsked(call) ? h(AskedBody, { call }) : h(ToolBody, { call, body: picture.body }),
  ],
})

const decisionOf = ({ approval }: CallView) => (approval?.automatic ? undefined : approval?.decision)

/** The text sent with a decision. */
export const Decision = definePart('ToolCallDecision', {
  tag: 'p',
  attributes({ call }) {
    const decision = decisionOf(call)
    return decision && { 'data-tw-part': 'decision', 'data-decision': decision }
  },
  content({ call, t }) {
    const { approval } = call
    const decision = decisionOf(call)
    const said =
      approval?.reason ?? (approval && !questionBlocks(approval) ? approval.answer_text : undefined)
    const isAnswer = approval?.kind === 'question' && decision === 'approved'
    const rule = approval?.rule
    return [
      decision ? h('strong', t(isAnswer ? 'question.answered' : `approval.${decision}`)) : null,
      said ? h('q', shortText(said)) : null,
      rule ? h('code', shortLine(rule)) : null,
    ]
  },
})

/** The approval, question or client tool that waits for the user. */
export const Waiting = defineComponent(
  () => {
    const drawn = useDrawnCall()
    return () => {
      const { call } = drawn()
      if (call.state === 'awaiting_approval' && call.approval)
        return h(Approval, { key: call.approval.id, call, approval: call.approval })
      return call.state === 'awaiting_client' ? h(ClientCall, { call }) : null
    }
  },
  { name: 'ToolCallWaiting' },
)

/** The user can read everything that would run, also where the card shows a part of it. */
export const Actions = defineComponent(
  (_props: Record<never, never>, { slots }) => {
    const drawn = useDrawnCall()
    return () => {
      const { call, t, session } = drawn()
      const output = call.result?.output_text ?? call.output.tail
      const CallActions = session.CallActions.value
      const ended = isFinal(call.state)
      const whole = ended || isWaitingForUser(call)
      const given = slots['default']?.({ call })
      if (!given && !CallActions && !whole) return null
      return h(
        'footer',
        { 'data-tw-part': 'tool-actions', 'data-tw-state': call.state },
        given ?? [
          CallActions ? h(CallActions, { call }) : null,
          !ended || output === ''
            ? null
            : h(CopyButton, { text: output, label: `${t('call.copy')}: ${t('call.output')}` }),
          whole ? h(Args) : null,
        ],
      )
    }
  },
  { name: 'ToolCallActions' },
)

/** The arguments as the model wrote them, folded. */
export const Args = definePart('ToolCallArgs', {
  tag: 'details',
  attributes: () => ({ 'data-tw-part': 'raw' }),
  content: ({ call, t }) => [
    h('summary', t('call.raw')),
    h(CopyButton, { text: call.input_text, label: `${t('call.copy')}: ${t('call.input')}` }),
    h(LongText, { text: call.input_text, name: call.name }),
  ],
})
