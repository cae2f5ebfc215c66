/** Checks of plain data, small enough for a page: a schema library is more than the page itself. None throws. */

/** Whether a value has the shape. Fields that a shape does not name may hold anything. */
export type Shape = (value: unknown) => boolean

/** Deeper data would break the stack of whoever walks or writes it. No honest tool or server goes near. */
const MAX_DEPTH = 1000

export const text: Shape = value => typeof value === 'string'
export const number: Shape = value => Number.isFinite(value)
export const flag: Shape = value => typeof value === 'boolean'

/** Anything that JSON can say and that is not nested too deeply. */
export const anything: Shape = value => !isDeeperThan(value, MAX_DEPTH)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const object: Shape = value => isObject(value) && anything(value)

export const listOf =
  (each: Shape): Shape =>
  value =>
    Array.isArray(value) && value.every(each)

/** An object with these fields, and with those of `optional` that are there. */
export function fields(
  required: Readonly<Record<string, Shape>>,
  optional: Readonly<Record<string, Shape>> = {},
): Shape {
  const must = Object.entries(required)
  const may = Object.entries(optional)
  return value =>
    isObject(value) &&
    must.every(([name, shape]) => shape(value[name])) &&
    may.every(([name, shape]) => value[name] === undefined || shape(value[name]))
}

/** An object whose `type` says which shape it has. One of a type that is not listed, a newer one, passes. */
export const byType =
  (shapes: ReadonlyMap<string, Shape>): Shape =>
  value =>
    isObject(value) && typeof value['type'] === 'string' && (shapes.get(value['type'])?.(value) ?? true)

/** Whether a value is nested deeper than so many levels. Stops there, so that no depth is too much for it. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  const inside = Array.isArray(value) ? (value as readonly unknown[]) : Object.values(value)
  return inside.some(one => isDeeperThan(one, levels - 1))
}
