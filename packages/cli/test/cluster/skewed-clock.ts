/** Imported before a server starts: its calendar is an hour ahead, its monotonic clock is right. */
const HOUR = 3_600_000
const RealDate = Date

class SkewedDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    if (given.length === 0) super(RealDate.now() + HOUR)
    else super(...(given as [number]))
  }

  static override now(): number {
    return RealDate.now() + HOUR
  }
}
globalThis.Date = SkewedDate as DateConstructor
