/** Stop sequences as every provider takes them. */
import type { Warnings } from './warning.ts'

/** Undefined when none is left; `field` names them in the warning. */
export function toStops(
  given: string | readonly string[] | null | undefined,
  field: string,
  warnings: Warnings,
): readonly string[] | undefined {
  if (given === undefined || given === null) return undefined
  const list = typeof given === 'string' ? [given] : given
  const kept = list.filter(stop => stop.trim() !== '')
  if (kept.length < list.length)
    warnings.add('stop_dropped', `${field}: sequences of white space alone are ignored.`)
  return kept.length > 0 ? kept : undefined
}
