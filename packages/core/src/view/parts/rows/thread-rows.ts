/**
 * A conversation as a flat list of rows, so that a list can skip invisible ones: one row per message and one for
 * the end of each exchange. Exchanges would be too large: one may hold hundreds of calls.
 */
import { blocksOf, groupBlocks } from '../../select.ts'
import type { CallView, SessionView } from '../../view.ts'

export interface ThreadRow {
  readonly key: string
  readonly type: 'message' | 'end'
  /** Of the message, or of the exchange that ends here. */
  readonly id: string
  /** The exchange; absent for queued messages. */
  readonly turn?: string
}

/** Up to this many rows all of them are drawn. */
const FLAT_ROWS = 60

/** Oldest first. Returns `last`, or its rows, wherever nothing has changed. */
export function threadRows(view: SessionView, last: readonly ThreadRow[]): readonly ThreadRow[] {
  const rows: ThreadRow[] = []
  let same = true
  const add = (type: ThreadRow['type'], id: string, turn?: string) => {
    const before = last[rows.length]
    if (before?.id === id && before.type === type && before.turn === turn) return rows.push(before)
    same = false
    return rows.push({ key: `${type}:${id}`, type, id, ...(turn === undefined ? {} : { turn }) })
  }
  for (const turn of view.turns) {
    for (const id of turn.messages) add('message', id, turn.id)
    add('end', turn.id, turn.id)
  }
  for (const message of view.queue) add('message', message.id)
  return same && rows.length === last.length ? last : rows
}

/**
 * True if every row is drawn. A change recreates all rows and loses focus and drafts, so a list that outgrows the
 * limit while it is `held` stays drawn up to twice the limit.
 */
export function drawsAllRows(
  rows: number,
  before: { readonly flat: boolean; readonly held: boolean },
): boolean {
  return rows <= FLAT_ROWS || (before.flat && before.held && rows <= 2 * FLAT_ROWS)
}

/** Rows that stay mounted while invisible: those with a pending item, and the one with the focus. */
export function pinnedRows(
  view: SessionView,
  rows: readonly ThreadRow[],
  focused: string | undefined,
): readonly number[] {
  const kept = new Set(view.pending.map(item => rowOfCall(view, rows, item.call)))
  if (focused !== undefined) kept.add(rows.findIndex(row => row.key === focused))
  kept.delete(-1)
  return [...kept].sort((a, b) => a - b)
}

/**
 * Index of the row that holds a call's card, -1 without one. A call of an agent is in the row of the agent's own
 * call.
 */
export function rowOfCall(view: SessionView, rows: readonly ThreadRow[], call: string): number {
  const outermost = lineage(view, call).at(-1)
  return outermost ? rows.findIndex(row => row.type === 'message' && row.id === outermost.message) : -1
}

/** Folds that must be open for a call's card to exist: groups of calls and the cards of the agents above it. */
export function foldsAbove(view: SessionView, call: string): readonly string[] {
  return lineage(view, call).flatMap((one, depth) => [
    ...(depth === 0 ? [] : [one.id]),
    ...groupAbove(view, one),
  ])
}

/** The call and the calls whose agents made it, innermost first. */
function lineage(view: SessionView, call: string): readonly CallView[] {
  const calls: CallView[] = []
  let found = view.calls.get(call)
  while (found && !calls.includes(found)) {
    calls.push(found)
    found = view.calls.get(view.agents.get(found.agent ?? '')?.parent_call ?? '')
  }
  return calls
}

function groupAbove(view: SessionView, call: CallView): readonly string[] {
  const message = view.messages.get(call.message)
  if (!message) return []
  return groupBlocks(view, blocksOf(view, message)).flatMap(group =>
    group.type === 'calls' && group.calls.includes(call) ? [`group:${group.calls[0]?.id ?? ''}`] : [],
  )
}
