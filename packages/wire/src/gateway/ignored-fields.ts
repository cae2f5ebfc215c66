/** Fields of a request that nobody reads. They are told, because their sender expects something of them. */
import type { Warnings } from './warning.ts'

/** Top-level fields beside the known ones; absent values and plain refusals (`false`, empty lists) ask for nothing. */
export function warnIgnoredFields(body: unknown, known: ReadonlySet<string>, warnings: Warnings): void {
  if (typeof body !== 'object' || body === null) return
  for (const [name, value] of Object.entries(body))
    if (!known.has(name) && asksForSomething(value))
      warnings.add('field_ignored', `${name}: this field is not known here; it is ignored.`)
}

const asksForSomething = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)
