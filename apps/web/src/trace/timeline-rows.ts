/** The timeline as rows: a heading per exchange, then its model requests and tool calls, agents indented. Pure. */
import type { MessageView, SessionView, TurnView } from '@toolwire/core/view'

export interface TimelineBar {
  readonly type: 'bar'
  readonly id: string
  readonly name: string
  readonly kind: 'model' | 'tool'
  readonly state: string
  /** 0 for the session's own agent, one more for each agent inside another. */
  readonly depth: number
  readonly from: number
  /** Absent while it goes on. */
  readonly to: number | undefined
  readonly turn: TurnView
  /** The call in the conversation; absent for model requests. */
  readonly call?: string
}

export type TimelineRow =
  | { readonly type: 'turn'; readonly id: string; readonly number: number; readonly turn: TurnView }
  | TimelineBar

export function timelineRows(view: SessionView): readonly TimelineRow[] {
  return view.turns.flatMap((turn, index): readonly TimelineRow[] => [
    { type: 'turn', id: turn.id, number: index + 1, turn },
    ...barsOf(view, turn, turn.messages, 0),
  ])
}

/** Deeper than this the names have no room left. */
const MAX_DEPTH = 4

function barsOf(
  view: SessionView,
  turn: TurnView,
  messages: readonly string[],
  depth: number,
): readonly TimelineBar[] {
  return messages.flatMap((id): readonly TimelineBar[] => {
    const message = view.messages.get(id)
    if (message?.role !== 'assistant') return []
    const model: TimelineBar = {
      type: 'bar',
      id,
      name: message.model ?? '',
      kind: 'model',
      state: message.state,
      depth,
      from: message.started_at,
      to: message.ended_at,
      turn,
    }
    return [model, ...callBars(view, turn, message, depth)]
  })
}

function callBars(
  view: SessionView,
  turn: TurnView,
  message: MessageView,
  depth: number,
): readonly TimelineBar[] {
  return message.blocks.flatMap((block): readonly TimelineBar[] => {
    const call = view.calls.get(view.blocks.get(block)?.call ?? '')
    if (!call) return []
    const bar: TimelineBar = {
      type: 'bar',
      id: call.id,
      name: call.name,
      kind: 'tool',
      state: call.state,
      depth,
      from: call.started_at ?? call.created_at,
      to: call.ended_at,
      turn,
      call: call.id,
    }
    if (depth >= MAX_DEPTH) return [bar]
    const inside = call.agents.flatMap(id =>
      barsOf(view, turn, view.agents.get(id)?.messages ?? [], depth + 1),
    )
    return [bar, ...inside]
  })
}

/** When everything of an exchange has ended, or `now` while it goes on. */
export function turnEnd(turn: TurnView, bars: readonly TimelineBar[], now: number): number {
  const ends = bars.map(bar => bar.to ?? now)
  const last = turn.state === 'running' ? now : (turn.ended_at ?? 0)
  return Math.max(last, turn.started_at + 1, ...ends)
}
