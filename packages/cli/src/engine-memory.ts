/**
 * Keeps the engine from holding on to memory that a burst of requests made it take. Flags of the command line would
 * do the same, but not every way to start a program can pass them.
 */
import { constants, type NodeGCPerformanceDetail, PerformanceObserver, performance } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { createTidying, type Tidying } from './engine-tidying.ts'

/** Both halves of it. Smaller ones would be left by objects that soon die, and those are dear to collect later. */
const ENOUGH_BYTES = 32 * 1024 * 1024
/** The engine's own factor. */
const GROWTH = 2

/** Holds for the whole process; to be called once. */
export function boundEngineMemory(): void {
  // Otherwise finished compilations wait for a thread of low priority to free them: dozens of megabytes when much code
  // becomes hot at once, in arenas of the allocator that give nothing back.
  setFlagsFromString('--no-maglev-destroy-on-background')
  const judgeYoung = boundYoungSpace()
  const judgeOld = tidyOldSpace()
  const measure = createLoopMeter()
  new PerformanceObserver(list => {
    const wholeCollections = list.getEntries().filter(isWhole).length
    judgeYoung()
    judgeOld(wholeCollections, measure(wholeCollections > 0))
  }).observe({ entryTypes: ['gc'] })
}

interface LoopLook {
  /** The share of its time in which the event loop worked, lately. */
  readonly busy: number
  /** Whether that was measured just now. */
  readonly isNew: boolean
}

/** Collections that follow each other at once tell nothing of how busy it is. */
const SHORTEST_MS = 300

/** What is returned is to be told of every collection of the whole heap: the time that it took is no work. */
function createLoopMeter(): (isAfterWhole: boolean) => LoopLook {
  let before = performance.eventLoopUtilization()
  let busy = 0
  return isAfterWhole => {
    const now = performance.eventLoopUtilization()
    if (isAfterWhole) before = now
    const isNew = now.active + now.idle - before.active - before.idle >= SHORTEST_MS
    if (isNew) {
      busy = performance.eventLoopUtilization(now, before).utilization
      before = now
    }
    return { busy, isNew }
  }
}

/**
 * Lets the space of young objects grow until it is large enough, and no further. The engine would let it grow to
 * 128 MB as soon as many requests come at once, and keep it: emptied in pauses of 20 to 30 ms. It makes the space
 * small again when little happens, so whoever watches it never stops: what is returned is to be called after each
 * collection.
 */
function boundYoungSpace(): () => void {
  let mayGrow = true
  const judge = (): void => {
    if (mayGrow === youngBytes() < ENOUGH_BYTES) return
    mayGrow = !mayGrow
    // Read at each collection, unlike the greatest size, which is fixed when the engine starts.
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? GROWTH : 1}`)
  }
  judge()
  return judge
}

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(space => space.space_name === 'new_space')?.space_size ?? 0

/** Has the engine begin a collection of everything, in steps beside the work, when that is worth while. */
function tidyOldSpace(): (wholeCollections: number, loop: LoopLook) => void {
  const judge = createTidying(oldBytes())
  let tidying: Tidying = 'none'
  return (wholeCollections, { busy, isNew }) => {
    if (!isNew && wholeCollections === 0) return
    const wanted = judge({ now: performance.now(), usedBytes: oldBytes(), busy, wholeCollections })
    if (wanted === tidying) return
    tidying = wanted
    // The first has it begin before it must, the second has it give memory back afterwards.
    setFlagsFromString(`--incremental-marking-soft-trigger=${wanted === 'none' ? 0 : 1}`)
    setFlagsFromString(wanted === 'compact' ? '--optimize-for-size' : '--no-optimize-for-size')
  }
}

const isWhole = (entry: PerformanceEntry): boolean =>
  'detail' in entry &&
  (entry.detail as NodeGCPerformanceDetail | undefined)?.kind === constants.NODE_PERFORMANCE_GC_MAJOR

/** In all spaces but that of young objects. */
const oldBytes = (): number =>
  getHeapSpaceStatistics().reduce(
    (sum, space) => (/^(new|read_only)_/.test(space.space_name) ? sum : sum + space.space_used_size),
    0,
  )
