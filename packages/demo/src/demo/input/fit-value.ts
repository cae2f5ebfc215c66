/** Bends a wanted value until it satisfies its schema's bounds. */

import { matchingText } from '../understand/matching-text.ts'
import { dateIn, emailIn, urlIn } from '../understand/mentions.ts'
import { listOf, numberOf, type Schema } from './json-schema.ts'

/** The nearest number that the schema allows; bounds that contradict each other yield the lower one. */
export function fitNumber(wanted: number, schema: Schema): number {
  const isInteger = schema['type'] === 'integer'
  const multiple = numberOf(schema['multipleOf'])
  const step = multiple ?? (isInteger ? 1 : undefined)
  const { low, high } = boundsOf(schema)
  if (step !== undefined) return fitStep(wanted, step, schema)
  const inside = Math.min(Math.max(wanted, low), high)
  const isOpenLow = inside === numberOf(schema['exclusiveMinimum'])
  const isOpenHigh = inside === numberOf(schema['exclusiveMaximum'])
  if (isOpenLow) return Number.isFinite(high) ? (inside + high) / 2 : inside + 1
  if (isOpenHigh) return Number.isFinite(low) ? (inside + low) / 2 : inside - 1
  return inside
}

function boundsOf(schema: Schema): { readonly low: number; readonly high: number } {
  return {
    low: Math.max(
      numberOf(schema['minimum']) ?? -Infinity,
      numberOf(schema['exclusiveMinimum']) ?? -Infinity,
    ),
    high: Math.min(numberOf(schema['maximum']) ?? Infinity, numberOf(schema['exclusiveMaximum']) ?? Infinity),
  }
}

function fitStep(wanted: number, step: number, schema: Schema): number {
  const { low, high } = boundsOf(schema)
  let first = Math.ceil(low / step)
  let last = Math.floor(high / step)
  if (first * step === numberOf(schema['exclusiveMinimum'])) first += 1
  if (last * step === numberOf(schema['exclusiveMaximum'])) last -= 1
  const count = Math.max(Math.min(Math.round(wanted / step), last), first)
  // Adding zero turns -0, which JSON cannot say, into 0.
  return count * step + 0
}

export interface StringNeed {
  readonly name: string
  readonly text: string
  readonly nth: number
}

/** A string that fits format, pattern and length: the wanted one if it does, else the next best. */
export function fitString(wanted: string | undefined, schema: Schema, need: StringNeed): string {
  const format = schema['format']
  const formatted = typeof format === 'string' ? formattedText(format, need) : undefined
  if (formatted !== undefined) return formatted
  const pattern = compiled(schema['pattern'])
  const examples = [schema['default'], ...listOf(schema['examples'])].filter(
    value => typeof value === 'string',
  )
  const plain = need.text === '' ? need.name : need.text.slice(0, 500)
  const candidates = [wanted, ...examples, plain].filter(value => value !== undefined)
  if (pattern) {
    const fitting = isTame(pattern)
      ? candidates.map(value => fitLength(value, schema)).find(value => pattern.test(value))
      : undefined
    return fitting ?? matchingText(pattern.source, need.nth)
  }
  return fitLength(candidates[0] ?? '', schema)
}

/** An external pattern: one with repeated groups may take exponential time, so it is not run. */
const isTame = ({ source }: RegExp): boolean =>
  source.length <= 500 && !/\)\??[+*{?]|[+*}]\)?[+*{]|\\[1-9]/.test(source)

const LONGEST = 10_000

function fitLength(value: string, schema: Schema): string {
  const characters = [...value]
  const least = Math.min(LONGEST, numberOf(schema['minLength']) ?? 0)
  const most = numberOf(schema['maxLength']) ?? Number.POSITIVE_INFINITY
  if (characters.length > most) return characters.slice(0, most).join('')
  return characters.length < least ? value + 'x'.repeat(least - characters.length) : value
}

function compiled(pattern: unknown): RegExp | undefined {
  if (typeof pattern !== 'string') return undefined
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return undefined
  }
}

/** Text of a well-known format, from the request when it has one; undefined for formats that bind nothing here. */
function formattedText(format: string, { text, nth }: StringNeed): string | undefined {
  const day = String(1 + (nth % 28)).padStart(2, '0')
  const date = nth === 0 ? (dateIn(text) ?? '2025-01-01') : `2025-01-${day}`
  switch (format) {
    case 'date':
      return date
    case 'date-time':
      return `${date}T09:00:00Z`
    case 'time':
      return `09:${day}:00Z`
    case 'duration':
      return `PT${nth + 1}H`
    case 'email':
      return (nth === 0 ? emailIn(text) : undefined) ?? `user${nth + 1}@example.com`
    case 'uri':
    case 'url':
      return (nth === 0 ? urlIn(text) : undefined) ?? `https://example.com/${nth + 1}`
    case 'uuid':
      return `00000000-0000-4000-8000-${String(nth + 1).padStart(12, '0')}`
    case 'hostname':
      return `host${nth + 1}.example.com`
    case 'ipv4':
      return `192.0.2.${1 + (nth % 250)}`
    case 'ipv6':
      return `2001:db8::${nth + 1}`
    default:
      return undefined
  }
}
