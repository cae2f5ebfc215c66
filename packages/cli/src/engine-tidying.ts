/**
 * When the engine shall collect what a burst of requests left behind. By itself it waits until its heap has grown to a
 * multiple, or until next to nothing happens. A server with many slow streams is never that quiet: what one delta
 * leaves is old before the next one comes, and it would keep twice the memory that it uses.
 */

/** What is seen after a collection of any kind. */
export interface HeapLook {
  /** Milliseconds of any clock that never goes back. */
  readonly now: number
  /** Old objects, those that nobody needs any longer included. */
  readonly usedBytes: number
  /** The share of the time since the last look in which the event loop worked. */
  readonly busy: number
  /** Collections of the whole heap since the last look. */
  readonly wholeCollections: number
}

/** Below this share of its time the event loop has room for a collection. */
const QUIET = 0.4
/** From here on one that was asked for is called off. */
const LOADED = 0.8
/** A smaller heap is left to the engine: there is little to be gained, and streams would be held up for it. */
const LARGE_BYTES = 80 * 1024 * 1024
/** Growth since the whole heap was collected that makes it worth while. */
const GROWTH = 1.1
const SLACK_BYTES = 6 * 1024 * 1024
/** The first frees, the second moves what is left together: only then are pages given back. */
const COLLECTIONS = 2
/** Between two of them, at least. */
const REST_MS = 3000

/** Returns a function that tells, after each look, whether the engine shall collect now. */
export function createTidying(usedBytes: number): (look: HeapLook) => boolean {
  /** What was there when the whole heap was last collected. */
  let floor = usedBytes
  /** The last whole collection came in the middle of the work: much of what it kept is garbage by now. */
  let isRough = false
  let left = 0
  let notBefore = 0

  function note({ now, usedBytes: used, busy, wholeCollections }: HeapLook): void {
    if (wholeCollections === 0) return
    floor = used
    isRough = left === 0 && busy >= QUIET
    left = Math.max(0, left - wholeCollections)
    if (left === 0 && !isRough) notBefore = now + REST_MS
  }
  return look => {
    note(look)
    const { now, usedBytes: used, busy } = look
    if (busy >= LOADED) left = 0
    const isWorthIt = used > LARGE_BYTES && (isRough || used > floor * GROWTH + SLACK_BYTES)
    if (left === 0 && isWorthIt && busy < QUIET && now >= notBefore) left = COLLECTIONS
    return left > 0
  }
}
