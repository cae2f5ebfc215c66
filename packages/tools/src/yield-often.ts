/** Array methods for lists that strangers can make long: other work gets its turn in between. */
import { createYield } from '@toolwire/core'

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
