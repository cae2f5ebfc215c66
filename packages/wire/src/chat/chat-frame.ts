/** Frames of the chat wire: `type` first, the ids of session and conversation last. */
import type { Frame } from '../wire.ts'
import type { ChatState } from './chat-state.ts'

/** A frame's own fields, in the order in which they are sent; undefined ones are left out. */
interface FrameBody {
  readonly type: string
  readonly [field: string]: unknown
}

/** A frame from its own fields and the constant end of its run. */
export const toFrame = (body: FrameBody, tail: string): Frame => ({
  data: JSON.stringify(body).slice(0, -1) + tail,
})

/** A provider-shaped event for clients that follow the model's message. */
export const toStreamEvent = (eventType: string, data: object, tail: string): Frame =>
  toFrame({ type: 'stream_event', event_type: eventType, data: { type: eventType, ...data } }, tail)

/** The constant end of every frame of a run. */
export const toTail = (sessionId: string, conversationId: string): string =>
  `,"session_id":${JSON.stringify(sessionId)},"conversation_id":${JSON.stringify(conversationId)}}`

/** The end of a nested agent's frames: the parent call precedes the ids. */
export const toNestedTail = (parentCallId: string, tail: string): string =>
  `,"parent_tool_use_id":${JSON.stringify(parentCallId)}${tail}`

/** The end for frames of this event's agent; undefined when no run is open, so nothing can be shown. */
export function tailFor(state: ChatState, agentRunId: string | undefined): string | undefined {
  if (!state.run || state.run.ended) return undefined
  return agentRunId === undefined ? state.run.tail : state.agents.get(agentRunId)
}
