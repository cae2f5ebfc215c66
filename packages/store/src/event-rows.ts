/** The events of one write as rows. A long write takes several, because readers of a page read whole rows. */
import type { SessionEvent } from '@toolwire/core'

export interface EventRow {
  readonly n: number
  /** The events as one JSON array. */
  readonly json: string
}

/** Events in one row as it is written. */
const MAX_ROW = 500

/** Throws TypeError when an event is not JSON. */
export function toEventRows(events: readonly SessionEvent[]): readonly EventRow[] {
  if (events.length <= MAX_ROW) return events.length === 0 ? [] : [toRow(events)]
  const rows: EventRow[] = []
  for (let at = 0; at < events.length; at += MAX_ROW) rows.push(toRow(events.slice(at, at + MAX_ROW)))
  return rows
}

const toRow = (events: readonly SessionEvent[]): EventRow => ({
  n: events.length,
  json: JSON.stringify(events),
})
