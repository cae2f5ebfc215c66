/**
 * Finds request fields that are not read, at any depth, and reports them, because the client expects an effect.
 * Lists are searched; a field in many of their members is reported once, with its first path.
 */
import type { Warnings } from './warning.ts'

/** The known fields of a value; for a list, of each member. `any` is accepted as it is. */
export type FieldSpec =
  | 'any'
  | { readonly [field: string]: FieldSpec }
  | ((value: Readonly<Fields>) => FieldSpec)

type Fields = Record<string, unknown>

const MAX_TOLD = 50
const MAX_PATH = 200
/** Unknown fields that are looked at; what else there is is ignored without a word. */
const MAX_LOOKED_AT = 10_000

/**
 * Warns of fields in `body` beside the known ones; absent values and plain negatives (`false`, empty lists) ask
 * for nothing.
 */
export function warnIgnoredFields(body: unknown, known: FieldSpec, warnings: Warnings): void {
  const found = new Map<string, { readonly path: string; times: number }>()
  let looked = 0
  look(body, known, '', path => {
    looked += 1
    if (looked > MAX_LOOKED_AT) return
    const place = path.replaceAll(/(^|\.)\d+(?=\.)/g, '$1*')
    const before = found.get(place)
    if (before) before.times += 1
    else if (found.size < MAX_TOLD) found.set(place, { path: path.slice(0, MAX_PATH), times: 1 })
  })
  for (const { path, times } of found.values()) {
    const more = times > 1 ? ` So are ${times - 1} more like it.` : ''
    warnings.add('field_ignored', `${path}: this field is not known here; it is ignored.${more}`)
  }
}

function look(value: unknown, known: FieldSpec, path: string, tell: (path: string) => void): void {
  if (known === 'any' || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) look(one, known, join(path, String(index)), tell)
    return
  }
  const fields = value as Fields
  const read = typeof known === 'function' ? known(fields) : known
  if (read === 'any' || typeof read === 'function') return
  for (const [name, inner] of Object.entries(fields)) {
    const next = Object.hasOwn(read, name) ? read[name] : undefined
    if (next !== undefined) look(inner, next, join(path, name), tell)
    else if (asksForSomething(inner)) tell(join(path, name))
  }
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

const asksForSomething = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)

/** Every one of these fields, taken as it is. */
export const anyOf = (...names: readonly string[]): { readonly [field: string]: FieldSpec } =>
  Object.fromEntries(names.map(name => [name, 'any'] as const))
