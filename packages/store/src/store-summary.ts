/** A database in short, as the doctor reports it. */
export interface StoreSummary {
  /** Number of schema changes that it has; 0 before the first start. */
  readonly version: number
  /** Number of schema changes that this program knows: a start makes the rest. */
  readonly known: number
  /** Counted up to one more than `MOST_COUNTED`. */
  readonly sessions: number
}

/** Bounds the cost of a check, whatever the database holds. */
export const MOST_COUNTED = 100_000
