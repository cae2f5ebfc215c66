/** Checks quickly if a value is expensive to copy or serialize, without visiting all of it. */

/** Characters that cost nothing to speak of. Each value counts as a few of them. */
const LARGE = 65_536
const EACH = 16

/** True when its texts and values together are too much; stops at that point. For data without cycles. Never throws. */
export const isLarge = (value: unknown, limit: number = LARGE): boolean => roomAfter(value, limit) < 0

/** Estimates the characters of the value as JSON. Takes time by the number of its values, not by their length. */
export const weightOf = (value: unknown): number =>
  Number.MAX_SAFE_INTEGER - roomAfter(value, Number.MAX_SAFE_INTEGER)

function roomAfter(value: unknown, room: number): number {
  if (typeof value === 'string') return room - EACH - value.length
  if (typeof value !== 'object' || value === null) return room - EACH
  let rest = room - EACH
  // A list's own loop: the other one makes the names of all its places first.
  if (Array.isArray(value))
    for (let n = 0; n < value.length && rest >= 0; n++) rest = roomAfter(value[n], rest)
  else
    for (const key in value) {
      rest = roomAfter((value as Record<string, unknown>)[key], rest)
      if (rest < 0) break
    }
  return rest
}
