/** From events per second to conversations: the model behind docs/scale.md. Pure. */

/** A model that streams gives about this many deltas a second. */
const DELTAS_PER_SECOND = 50
/** A response streams for one part in this many of the time that a user spends in a conversation. */
const PARTS_READING = 10

interface Capacity {
  readonly answersAtOnce: number
  readonly people: number
}

/** Estimated capacity of a database that stores this many events per second, rounded down to two digits. */
export function capacityOf(eventsPerSecond: number): Capacity {
  const answers = eventsPerSecond / DELTAS_PER_SECOND
  return { answersAtOnce: roundDown(answers), people: roundDown(answers * PARTS_READING) }
}

function roundDown(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, value))) - 1)
  return Math.floor(value / unit) * unit
}
