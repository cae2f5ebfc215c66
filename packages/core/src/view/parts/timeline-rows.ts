/** The timeline as rows: a heading per exchange, then its model requests and tool calls, agents indented. Pure. */
import type { MessageView, SessionView, TurnView } from '../view.ts'

export interface TimelineBar {
  readonly type: 'bar'
  readonly id: string
  readonly name: string
  readonly kind: 'model' | 'tool'
  readonly state: string
  /** 0 for the session's own agent, one more for each agent inside another. */
  readonly depth: number
  readonly from: number
  /** Absent while it runs. */
  readonly to: number | undefined
  readonly turn: TurnView
  /** The call in the conversation; absent for model requests. */
  readonly call?: string
}

export type TimelineRow =
  | { readonly type: 'turn'; readonly id: string; readonly number: number; readonly turn: TurnView }
  | TimelineBar

/** All exchanges, oldest first. */
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

/** The end of each exchange, or `now` while it runs; by the exchange's id. */
export function timelineEnds(rows: readonly TimelineRow[], now: number): ReadonlyMap<string, number> {
  const ends = new Map<string, number>()
  for (const row of rows) {
    const { turn } = row
    const last = turn.state === 'running' ? now : (turn.ended_at ?? 0)
    const known = ends.get(turn.id) ?? Math.max(last, turn.started_at + 1)
    ends.set(turn.id, row.type === 'bar' ? Math.max(known, row.to ?? now) : known)
  }
  return ends
}

/** Position of a bar in the width of its exchange, in percent, and its duration in ms. Never too thin to see. */
export function barPlace(
  { from, to, turn }: TimelineBar,
  end: number,
  now: number,
): { readonly left: number; readonly width: number; readonly ms: number } {
  const span = Math.max(1, end - turn.started_at)
  const ms = (to ?? now) - from
  const left = Math.min(98, (100 * (from - turn.started_at)) / span)
  return { left, width: Math.max(1.5, Math.min(100 - left, (100 * ms) / span)), ms }
}

/** Number of rows, counted from the end, to draw so that the bar of `call` is among them; at least `least`. */
export function rowsToShow(rows: readonly TimelineRow[], least: number, call: string | undefined): number {
  const index = call === undefined ? -1 : rows.findIndex(row => row.type === 'bar' && row.call === call)
  return index < 0 ? least : Math.max(least, rows.length - index)
}

/** Scrolls the bar of the current call into view, if it is drawn. */
export function showCurrentBar(timeline: ParentNode | null): void {
  const bar = timeline?.querySelector<HTMLElement>('[data-tw-part="timeline-bar"][data-current="true"]')
  bar?.scrollIntoView?.({ block: 'center' })
}
