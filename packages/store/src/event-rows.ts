/** The events of one write as rows. A long write takes several: readers of a page of the log read whole rows. */
import { createYield, isLarge, type SessionEvent, weightOf } from '@toolwire/core'

export interface EventRow {
  readonly n: number
  /** The events as one JSON array. */
  readonly json: string
}

/** Events and characters in one row as it is written. A single event may have more characters. */
const MAX_ROW = 500
const MAX_CHARACTERS = 500_000

/** Throws TypeError when an event is not JSON. */
export const toEventRows = (events: readonly SessionEvent[]): readonly EventRow[] =>
  events.length === 1 ? [toRow(events)] : Array.from(groupEvents(events), toRow)

/** As `toEventRows`, with other work in between. */
export async function toEventRowsOften(events: readonly SessionEvent[]): Promise<readonly EventRow[]> {
  const yieldOften = createYield()
  const rows: EventRow[] = []
  for (const group of groupEvents(events)) {
    rows.push(toRow(group))
    await yieldOften()
  }
  return rows
}

/** True for events that take long to write as JSON. */
export const isLargeWrite = (events: readonly SessionEvent[]): boolean => isLarge(events, MAX_CHARACTERS)

function* groupEvents(events: readonly SessionEvent[]): Generator<readonly SessionEvent[]> {
  let start = 0
  let characters = 0
  for (const [at, event] of events.entries()) {
    const weight = weightOf(event)
    if (at > start && (at - start >= MAX_ROW || characters + weight > MAX_CHARACTERS)) {
      yield events.slice(start, at)
      start = at
      characters = 0
    }
    characters += weight
  }
  if (start < events.length) yield start === 0 ? events : events.slice(start)
}

const toRow = (events: readonly SessionEvent[]): EventRow => ({
  n: events.length,
  json: JSON.stringify(events),
})
