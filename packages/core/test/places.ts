/** Every place in a value, and copies of the value with something else at one of them. */

/** The ways to every place inside, from the outside in. */
export function placesOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, inside]) => placesOf(inside, [...path, key]))]
}

/** A copy with `other` at the end of the way; without that field or item when it is undefined. */
export function changedAt<T extends object>(root: T, path: readonly string[], other: unknown): T {
  const copy = structuredClone(root)
  const holder = path.slice(0, -1).reduce<object>((at, key) => Reflect.get(at, key) as object, copy)
  const last = path.at(-1) ?? ''
  if (other !== undefined) Reflect.set(holder, last, other)
  else if (Array.isArray(holder)) holder.splice(Number(last), 1)
  else Reflect.deleteProperty(holder, last)
  return copy
}

/** One of every kind that JSON knows. */
export const OTHERS: readonly unknown[] = [undefined, null, true, 7, 'word', [], {}, [null], [7], { a: 1 }]
