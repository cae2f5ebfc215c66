/**
 * For loops over what strangers can make many: each step is short, all of them together may not be. Awaited in every step,
 * the returned function gives the event loop to others as soon as the loop has held it for some milliseconds.
 */
const MAX_HELD_MS = 15

type Schedule = (callback: () => void) => unknown
/** Looked up at each call, because browsers have no `setImmediate`. */
const nextTurn: Schedule = callback =>
  ((globalThis as { readonly setImmediate?: Schedule }).setImmediate ?? setTimeout)(callback)

export function createYield(): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < MAX_HELD_MS) return undefined
    return new Promise(resolve => {
      nextTurn(() => {
        since = performance.now()
        resolve()
      })
    })
  }
}
