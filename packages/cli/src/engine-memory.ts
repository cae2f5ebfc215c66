/**
 * Keeps the engine from holding on to memory that a burst of requests made it take. Flags of the command line would
 * do the same, but not every way to start a program can pass them.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Both halves of it. Smaller ones would be left by objects that soon die, and those are dear to collect later. */
const ENOUGH_BYTES = 32 * 1024 * 1024
/** The engine's own factor. */
const GROWTH = 2

/** Holds for the whole process; to be called once. */
export function boundEngineMemory(): void {
  // Otherwise finished compilations wait for a thread of low priority to free them: dozens of megabytes when much code
  // becomes hot at once, in arenas of the allocator that give nothing back.
  setFlagsFromString('--no-maglev-destroy-on-background')
  boundYoungSpace()
}

/**
 * Lets the space of young objects grow until it is large enough, and no further. The engine would let it grow to
 * 128 MB as soon as many requests come at once, and keep it: emptied in pauses of 20 to 30 ms. It makes the space
 * small again when little happens, so whoever watches it never stops.
 */
function boundYoungSpace(): void {
  let mayGrow = true
  const judge = (): void => {
    if (mayGrow === youngBytes() < ENOUGH_BYTES) return
    mayGrow = !mayGrow
    // Read at each collection, unlike the greatest size, which is fixed when the engine starts.
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? GROWTH : 1}`)
  }
  judge()
  new PerformanceObserver(judge).observe({ entryTypes: ['gc'] })
}

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(space => space.space_name === 'new_space')?.space_size ?? 0
