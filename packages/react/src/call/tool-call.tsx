/**
 * One tool call as a card: a line with its name and state, and its content below. The card is made of the parts
 * that `ToolCall` carries, and a page may combine them otherwise.
 */
import { type CallView, thoughtBlock } from '@toolwire/core/view'
import { memo } from 'react'
import { useSessionContext } from '../session/session-context.ts'
import { useCall } from '../session/use-session.ts'
import { ThinkingBlock } from '../thread/text-block.tsx'
import { Actions, Args, Body, Decision, ErrorText, Output, Waiting } from './tool-call-body.tsx'
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
} from './tool-call-header.tsx'
import { Root } from './tool-call-root.tsx'

/** Follows one call; other calls' changes do not draw it again. A tool that the page draws itself is drawn by that. */
export const ToolCall = Object.assign(
  memo(function ToolCall({ id }: { readonly id: string }) {
    const { tools } = useSessionContext()
    const call = useCall(id)
    if (!call) return null
    const Own = Object.hasOwn(tools, call.name) ? tools[call.name] : undefined
    if (Own) return <Own call={call} />
    const thought = thoughtBlock(call)
    return thought ? <ThinkingBlock block={thought} /> : <ToolCallCard call={call} />
  }),
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
export function ToolCallCard({ call, anchor = true }: ToolCallCardProps) {
  return <Root call={call} anchor={anchor} />
}
