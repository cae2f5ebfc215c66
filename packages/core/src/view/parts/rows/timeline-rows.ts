/** The timeline as rows: a heading per exchange, then its model requests and tool calls, agents indented. Pure. */
import { textOf } from '../../select.ts'
import { callTitle } from '../../tools/describe-call.ts'
import { type CallView, isFinal, type MessageView, type SessionView, type TurnView } from '../../view.ts'
import { callName } from '../calls/call-outcome.ts'
import { shortLine } from '../text/display-lines.ts'

export interface TimelineSpan {
  readonly from: number
  /** Absent while it runs. */
  readonly to: number | undefined
}

export interface TimelineBar extends TimelineSpan {
  readonly type: 'bar'
  readonly id: string
  readonly name: string
  /** The subject of the call, or the model; '' when nothing is known. */
  readonly title: string
  readonly kind: 'model' | 'tool'
  readonly state: string
  /** 0 for the session's own agent, one more for each agent inside another. */
  readonly depth: number
  readonly turn: TurnView
  /** Time before the call began in which it waited for a decision or for the client. */
  readonly wait?: TimelineSpan
  /** The call in the conversation; absent for model requests. */
  readonly call?: string
}

/** Several calls of one tool, one right after the other. */
export interface TimelineGroup {
  readonly type: 'group'
  /** That of its first bar. */
  readonly id: string
  readonly turn: TurnView
  readonly bars: readonly TimelineBar[]
}

export interface TimelineTurn {
  readonly type: 'turn'
  readonly id: string
  readonly number: number
  /** The first line of the request. */
  readonly title: string
  readonly turn: TurnView
}

export type TimelineRow = TimelineTurn | TimelineGroup | TimelineBar

/** Fewer equal calls in a row stay single rows. */
const GROUPED = 3

/** All exchanges, oldest first. Equal neighbors are grouped unless `open` has the id of the group. */
export function timelineRows(
  view: SessionView,
  open: ReadonlySet<string> = new Set(),
): readonly TimelineRow[] {
  return view.turns.flatMap((turn, index): readonly TimelineRow[] => [
    { type: 'turn', id: turn.id, number: index + 1, title: requestOf(view, turn), turn },
    ...grouped(barsOf(view, turn, turn.messages, 0), open),
  ])
}

function requestOf(view: SessionView, turn: TurnView): string {
  const first = view.messages.get(turn.messages[0] ?? '')
  return first?.role === 'user' ? shortLine(textOf(first.content).split('\n', 1)[0] ?? '') : ''
}

function grouped(bars: readonly TimelineBar[], open: ReadonlySet<string>): readonly TimelineRow[] {
  const rows: TimelineRow[] = []
  for (let at = 0; at < bars.length; ) {
    const run = equalFrom(bars, at)
    const [first] = run
    if (!first) break
    if (run.length >= GROUPED && !open.has(first.id))
      rows.push({ type: 'group', id: first.id, turn: first.turn, bars: run })
    else rows.push(...run)
    at += run.length
  }
  return rows
}

/** The bar at this position with the equal ones after it: ended calls of one tool without agents. */
function equalFrom(bars: readonly TimelineBar[], at: number): readonly TimelineBar[] {
  const first = bars[at]
  const isEqual = (bar: TimelineBar | undefined): boolean =>
    bar?.kind === 'tool' && bar.to !== undefined && bar.name === first?.name && bar.depth === first.depth
  let end = at + 1
  if (isEqual(first)) while (isEqual(bars[end])) end += 1
  // A deeper row belongs to the call before it.
  const isParent = end - at > 1 && (bars[end]?.depth ?? 0) > (first?.depth ?? 0)
  return bars.slice(at, isParent ? end - 1 : end)
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
      name: '',
      title: message.model ?? '',
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
    const wait = waitOf(call)
    const bar: TimelineBar = {
      type: 'bar',
      id: call.id,
      name: callName(call),
      title: callTitle(call, [], view.info.cwd),
      kind: 'tool',
      state: call.state,
      depth,
      from: call.started_at ?? wait?.to ?? wait?.from ?? call.created_at,
      to: call.ended_at,
      turn,
      call: call.id,
      ...(wait ? { wait } : {}),
    }
    if (depth >= MAX_DEPTH) return [bar]
    const inside = call.agents.flatMap(id =>
      barsOf(view, turn, view.agents.get(id)?.messages ?? [], depth + 1),
    )
    return [bar, ...inside]
  })
}

/** From the request of a decision, or to the client, until the call began or ended. */
function waitOf(call: CallView): TimelineSpan | undefined {
  const { approval, client } = call
  if (client) return { from: client.requested_at, to: call.ended_at }
  if (!approval || approval.automatic) return undefined
  const isWaiting = !isFinal(call.state) && call.started_at === undefined
  const to = call.started_at ?? call.ended_at
  return isWaiting || to !== undefined ? { from: approval.requested_at, to } : undefined
}

/** The end of each exchange, or `now` while it runs; by the exchange's id. */
export function timelineEnds(rows: readonly TimelineRow[], now: number): ReadonlyMap<string, number> {
  const ends = new Map<string, number>()
  for (const row of rows) {
    const { turn } = row
    const last = turn.state === 'running' ? now : (turn.ended_at ?? 0)
    const known = ends.get(turn.id) ?? Math.max(last, turn.started_at + 1)
    ends.set(turn.id, Math.max(known, ...barsIn(row).map(bar => bar.to ?? now)))
  }
  return ends
}

const barsIn = (row: TimelineRow): readonly TimelineBar[] =>
  row.type === 'turn' ? [] : row.type === 'group' ? row.bars : [row]

/** Number of rows, counted from the end, to draw so that the bar of `call` is among them; at least `least`. */
export function rowsToShow(rows: readonly TimelineRow[], least: number, call: string | undefined): number {
  const index = call === undefined ? -1 : rows.findIndex(row => barsIn(row).some(bar => bar.call === call))
  return index < 0 ? least : Math.max(least, rows.length - index)
}

/** The id of the group that holds the bar of `call`; undefined when none does. */
export const groupWith = (rows: readonly TimelineRow[], call: string | undefined): string | undefined =>
  rows.find(row => row.type === 'group' && row.bars.some(bar => bar.call === call && call !== undefined))?.id

/** Scrolls the bar of the current call into view, if it is drawn. */
export function showCurrentBar(timeline: ParentNode | null): void {
  const bar = timeline?.querySelector<HTMLElement>('[data-tw-part="timeline-bar"][data-current="true"]')
  bar?.scrollIntoView?.({ block: 'center' })
}
