/** Selects the rows of a log that are folded into one. Used by both databases. */

export interface FoldableRow {
  readonly seq: number
  readonly n: number
  readonly epoch: number
  /** The events as one JSON array. */
  readonly json: string
}

/** Events in one folded row, and rows looked at in one step. */
export const MAX_EVENTS = 2000
const MAX_CHARACTERS = 500_000

/** The first rows that may share one: no gap between them, one epoch, within the bounds. */
export function takeGroup<Row extends FoldableRow>(rows: readonly Row[]): readonly Row[] {
  const group: Row[] = []
  let events = 0
  let characters = 0
  for (const row of rows) {
    const last = group.at(-1)
    events += row.n
    characters += row.json.length
    if (last && (last.seq + last.n !== row.seq || last.epoch !== row.epoch)) break
    if (last && (events > MAX_EVENTS || characters > MAX_CHARACTERS)) break
    group.push(row)
  }
  return group
}
