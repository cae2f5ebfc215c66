/**
 * Checks plain data by example, small enough for a page: a schema library is larger than the whole view. A text,
 * number or flag matches any of its kind; a list holds an example item, or nothing for any items; an object names
 * fields and allows others. A function decides by itself.
 */
export type Shape =
  | string
  | number
  | boolean
  | readonly Shape[]
  | { readonly [field: string]: Shape }
  | Decides

type Decides = (value: unknown) => boolean

/** Examples that fit a type: its own fields, each of its own kind; optional ones are `maybe`. */
export type ShapeOf<T> = {
  readonly [K in keyof T & string]?: undefined extends T[K] ? Decides : Example<T[K]> | Decides
}

type Example<V> = V extends string
  ? string
  : V extends number
    ? number
    : V extends boolean
      ? boolean
      : V extends readonly (infer I)[]
        ? readonly (Example<I> | Decides)[]
        : V extends object
          ? ShapeOf<V>
          : never

/** True if a value has this shape. Never throws; visits no deeper than the shape. */
export function fits(value: unknown, shape: Shape): boolean {
  if (typeof shape === 'function') return shape(value)
  if (typeof shape !== 'object') return typeof value === typeof shape
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(shape))
    return false
  if (Array.isArray(value)) {
    const [item] = shape as readonly Shape[]
    return item === undefined || value.every(one => fits(one, item))
  }
  const fields = shape as Readonly<Record<string, Shape>>
  // Every delta passes here: a loop without an array costs half.
  for (const name in fields)
    if (!fits((value as Record<string, unknown>)[name], fields[name] as Shape)) return false
  return true
}

/** Marks an optional field. */
export const maybe =
  (shape: Shape): Decides =>
  value =>
    value === undefined || fits(value, shape)

export const TEXT = ''
export const NUMBER = 0
export const FLAG = true
export const MAYBE_TEXT: Decides = maybe(TEXT)
export const MAYBE_NUMBER: Decides = maybe(NUMBER)
export const MAYBE_FLAG: Decides = maybe(FLAG)
