/** From events per second to conversations: the model behind docs/scale.md. Pure. */

/** A model that streams gives about this many deltas a second. */
const DELTAS_PER_SECOND = 50
/** Of the time that somebody spends in a conversation, an answer streams for one part in this many. */
const PARTS_READING = 10

interface Capacity {
  readonly answersAtOnce: number
  readonly people: number
}

/** What a database carries that stores so many events per second, rounded down to two digits: it is an estimate. */
export function capacityOf(eventsPerSecond: number): Capacity {
  const answers = eventsPerSecond / DELTAS_PER_SECOND
  return { answersAtOnce: roundDown(answers), people: roundDown(answers * PARTS_READING) }
}

function roundDown(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, value))) - 1)
  return Math.floor(value / unit) * unit
}
