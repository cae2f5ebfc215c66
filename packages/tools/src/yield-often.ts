/**
 * For loops over what strangers can make many: each step is short, all of them together may not be. Awaited in every step,
 * the returned function gives the event loop to others as soon as the loop has held it for some milliseconds.
 */
const MAX_HELD_MS = 15

export function createYield(): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < MAX_HELD_MS) return undefined
    return new Promise(resolve => {
      setImmediate(() => {
        since = performance.now()
        resolve()
      })
    })
  }
}

/** As the method of arrays. */
export async function filterOften<T>(
  items: readonly T[],
  isWanted: (item: T) => boolean,
): Promise<readonly T[]> {
  const yieldOften = createYield()
  const wanted: T[] = []
  for (const item of items) {
    if (isWanted(item)) wanted.push(item)
    await yieldOften()
  }
  return wanted
}
