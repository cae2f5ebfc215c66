/**
 * A call of the MCP server as a pure fold: `progress` while it works, `paused` with what it waits for, and `result` at
 * its end. A session holds one tool call, or the conversations of an agent (option `agent`).
 */
import type { EventOf, HostedEnd, HostedProgress, HostedResult, PendingItem } from '@toolwire/core'
import { defineWire, type Frame, NO_FRAMES, type Projection, type ProjectionContext } from '../wire.ts'
import { toAgentResult, toErrorResult, toToolResult } from './call-result.ts'

export type McpFrame =
  | ({ readonly type: 'progress' } & HostedProgress)
  | { readonly type: 'paused'; readonly pending: readonly PendingItem[] }
  | { readonly type: 'result'; readonly result: HostedResult; readonly end: HostedEnd }

interface McpState {
  readonly session_id: string
  readonly isAgent: boolean
  /** The latest progress: it only ever grows. */
  readonly progress?: number
  readonly result?: HostedResult
}

type Step = readonly [McpState, readonly Frame[]]

export const mcpProjection: Projection<McpState> = {
  initial: toInitial,
  initialAt: toInitial,
  step(state, { ev }) {
    if (ev.agent_run_id !== undefined) return [state, NO_FRAMES]
    switch (ev.type) {
      case 'run.started':
        // A call that was answered continues with its earlier result, a new message begins without one.
        return [ev.trigger === 'message' ? toInitial(toContext(state)) : state, NO_FRAMES]
      case 'tool.ready':
        return state.isAgent ? addProgress(state, { message: ev.name }) : [state, NO_FRAMES]
      case 'tool.progress':
        return state.isAgent ? [state, NO_FRAMES] : addProgress(state, ev)
      case 'tool.completed':
      case 'tool.failed':
        return [state.isAgent ? state : { ...state, result: toToolResult(ev, state.session_id) }, NO_FRAMES]
      case 'run.paused':
        return [state, [toFrame({ type: 'paused', pending: ev.pending })]]
      case 'run.completed':
      case 'run.failed':
      case 'run.cancelled':
        return [state, [toFrame(toEnd(state, ev))]]
      default:
        return [state, NO_FRAMES]
    }
  },
}

/** Follows a conversation from its first record. */
export const mcpWire = defineWire('mcp', mcpProjection, { memory: 'answer' })

export const readMcpFrame = ({ data }: Frame): McpFrame => JSON.parse(data) as McpFrame

function toInitial({ session_id, options }: ProjectionContext): McpState {
  return { session_id, isAgent: options?.['agent'] === true }
}

const toContext = ({ session_id, isAgent }: McpState): ProjectionContext => ({
  session_id,
  options: { agent: isAgent },
})

const toFrame = (frame: McpFrame): Frame => ({ event: frame.type, data: JSON.stringify(frame) })

type ProgressNote = Pick<EventOf<'tool.progress'>, 'message' | 'progress' | 'total'>

/** A value that does not grow says nothing new: the protocol allows growing ones alone. */
function addProgress(
  state: McpState,
  { message, progress = (state.progress ?? 0) + 1, total }: ProgressNote,
): Step {
  if (!(progress > (state.progress ?? -1))) return [state, NO_FRAMES]
  const frame = {
    type: 'progress',
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message }),
  } as const
  return [{ ...state, progress }, [toFrame(frame)]]
}

function toEnd(
  { isAgent, result, session_id }: McpState,
  ev: EventOf<'run.completed' | 'run.failed' | 'run.cancelled'>,
): McpFrame {
  if (isAgent && ev.type === 'run.completed')
    return { type: 'result', result: toAgentResult(ev, session_id), end: 'completed' }
  if (result && !isAgent) return { type: 'result', result, end: ENDS[ev.type] }
  return { type: 'result', result: toErrorResult(reasonOf(ev), { session_id }), end: ENDS[ev.type] }
}

const ENDS = { 'run.completed': 'completed', 'run.failed': 'failed', 'run.cancelled': 'cancelled' } as const

function reasonOf(ev: EventOf<'run.completed' | 'run.failed' | 'run.cancelled'>): string {
  switch (ev.type) {
    case 'run.completed':
      return 'The call ended without a result.'
    case 'run.failed':
      return ev.error.message
    case 'run.cancelled':
      return `Cancelled: ${ev.reason}`
  }
}
