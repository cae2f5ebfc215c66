/** Indented JSON of a value; a large one is serialized only as far as it is shown. */
import { isLarge } from '../../../is-large.ts'

export interface JsonText {
  readonly text: string
  /** All of it, when `text` is only the beginning. Takes as long as the value is large. */
  readonly whole?: () => string
}

/** Characters of a text, and values of a list or object, that the beginning holds. */
const CHARS = 1100
const VALUES = 40
const DEPTH = 8

/** '' for what JSON cannot hold. Costs no more for a megabyte than for a page. Throws only for cycles. */
export function jsonText(value: unknown): JsonText {
  if (!isLarge(value)) return { text: toJson(value) }
  return { text: toJson(beginning(value, DEPTH)), whole: () => toJson(value) }
}

const toJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? ''

function beginning(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.slice(0, CHARS)
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return Array.isArray(value) ? [] : {}
  if (Array.isArray(value)) return value.slice(0, VALUES).map(item => beginning(item, depth - 1))
  const fields: [string, unknown][] = []
  for (const key in value) {
    if (fields.length === VALUES) break
    fields.push([key.slice(0, CHARS), beginning((value as Record<string, unknown>)[key], depth - 1)])
  }
  return Object.fromEntries(fields)
}
