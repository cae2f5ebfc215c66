/**
 * One tool call as a card: a line with its name and state, and its content below. The card is made of the parts
 * that `ToolCall` carries, and a page may combine them otherwise.
 */
import { type CallView, thoughtBlock } from '@toolwire/core/view'
import { defineComponent } from 'vue'
import { useSessionContext } from '../session/session-context.ts'
import { useCall } from '../session/use-session.ts'
import { h } from '../shared/h.ts'
import { ThinkingBlock } from '../thread/text-block.ts'
import { Actions, Args, Body, Decision, ErrorText, Output, Waiting } from './tool-call-body.ts'
import {
  Chevron,
  Elapsed,
  ErrorLine,
  Header,
  Name,
  Outcome,
  Progress,
  Status,
  StatusIcon,
  Title,
} from './tool-call-header.ts'
import { Root } from './tool-call-root.ts'
import { useToolSlots } from './tool-slots.ts'

/** Follows one call; other calls' changes do not draw it again. A tool that the page draws itself is drawn by that. */
export const ToolCall = Object.assign(
  defineComponent(
    (props: { readonly id: string }) => {
      const { tools } = useSessionContext()
      const slots = useToolSlots()
      const call = useCall(() => props.id)
      return () => {
        if (!call.value) return null
        const given = { call: call.value }
        const slot = slots[`tool:${call.value.name}`]
        if (slot) return slot(given)
        const own = Object.hasOwn(tools.value, call.value.name) ? tools.value[call.value.name] : undefined
        if (own) return h(own, given)
        const block = thoughtBlock(call.value)
        return block ? h(ThinkingBlock, { block }) : h(ToolCallCard, given)
      }
    },
    { name: 'ToolCall', props: ['id'] },
  ),
  {
    Root,
    Header,
    StatusIcon,
    Name,
    Title,
    ErrorLine,
    Outcome,
    Status,
    Elapsed,
    Progress,
    Chevron,
    Body,
    Error: ErrorText,
    Output,
    Decision,
    Waiting,
    Actions,
    Args,
  },
)

export interface ToolCallCardProps {
  readonly call: CallView
  /** False for a second card of the same call on one page: the element's id, to which links lead, is left to the first. */
  readonly anchor?: boolean
}

/** The card of a call that you have. */
export const ToolCallCard = defineComponent(
  (props: ToolCallCardProps) => () => h(Root, { call: props.call, anchor: props.anchor !== false }),
  { name: 'ToolCallCard', props: ['call', 'anchor'] },
)
