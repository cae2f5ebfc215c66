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

/**
 * What the engine shall do now. A sweep frees objects for others of the heap and holds the event loop up for 4 to 20 ms
 * at its end; a compaction also moves what is left together, so that pages are given back, and holds it up for 40 to 60.
 */
export type Tidying = 'none' | 'sweep' | 'compact'

/** Below these shares of its time the event loop has room for one. */
const ROOM = { sweep: 0.4, compact: 0.2 }
/** From here on one that was asked for is called off. */
const LOADED = 0.8
/** A smaller heap is left to the engine: there is little to be gained, and streams would be held up for it. */
const LARGE_BYTES = 80 * 1024 * 1024
/** Growth since the whole heap was collected that makes one worth while. */
const GROWTH = 1.04
const SLACK_BYTES = 2 * 1024 * 1024
/** Collections that one takes. Only the second of a compaction gives pages back. */
const COLLECTIONS = { none: 0, sweep: 1, compact: 2 }
/** Between two of them, at least. */
const REST_MS = 2500

/** Returns a function that tells, after each look, what the engine shall do. */
export function createTidying(usedBytes: number): (look: HeapLook) => Tidying {
  /** What was there when the whole heap was last collected. */
  let floor = usedBytes
  /** The last whole collection came in the middle of the work: much of what it kept is garbage by now. */
  let isRough = false
  let tidying: Tidying = 'none'
  let left = 0
  let notBefore = 0

  function note({ now, usedBytes: used, busy, wholeCollections }: HeapLook): void {
    if (wholeCollections === 0) return
    if (tidying === 'none') {
      // The engine's own often follows soon, and counts what is young among the old.
      if (now < notBefore) return
      floor = used
      isRough = busy >= ROOM.sweep
      return
    }
    floor = used
    isRough = false
    left -= wholeCollections
    if (left > 0) return
    tidying = 'none'
    notBefore = now + REST_MS
  }
  function choose({ now, usedBytes: used, busy }: HeapLook): Tidying {
    const isWorthIt = used > LARGE_BYTES && (isRough || used > floor * GROWTH + SLACK_BYTES)
    if (!isWorthIt || now < notBefore) return 'none'
    if (busy < ROOM.compact) return 'compact'
    return busy < ROOM.sweep && !isRough ? 'sweep' : 'none'
  }
  return look => {
    note(look)
    if (look.busy >= LOADED) tidying = 'none'
    else if (tidying === 'none') {
      tidying = choose(look)
      left = COLLECTIONS[tidying]
    }
    return tidying
  }
}
