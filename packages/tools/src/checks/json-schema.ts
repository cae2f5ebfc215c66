/**
 * Checks arguments against JSON Schema that clients and MCP servers bring. Their schemas are
 * not trusted: size and depth are capped, and a schema beyond the caps checks nothing but
 * that the arguments are an object (the owner of the tool checks again anyway).
 */
import { Validator } from '@cfworker/json-schema'
import type { CheckedInput } from '@toolwire/core'
import { showValue } from './show-value.ts'
import { runWithTimeout } from './within-time.ts'

type Fields = Readonly<Record<string, unknown>>

const MAX_BYTES = 256 * 1024
const MAX_DEPTH = 32
const MAX_PATTERN = 200
const MAX_PROBLEMS = 10
/** Tame expressions and unique items are still quadratic and more on a long input. */
const MAX_MS = 100

/** A check that never throws. The validator is made on first use and kept. */
export function createSchemaCheck(schema: Fields): (input: unknown) => CheckedInput<Fields> {
  let validator: Validator | undefined | null = null
  return input => {
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      return { ok: false, problems: [`the arguments: expected object, got ${showValue(input)}`] }
    if (validator === null) validator = compile(schema)
    const problems = validator ? validate(validator, input as Fields) : []
    return problems.length === 0 ? { ok: true, input: input as Fields } : { ok: false, problems }
  }
}

function compile(schema: Fields): Validator | undefined {
  try {
    const text = JSON.stringify(schema)
    if (text.length > MAX_BYTES || !isTame(schema, 0)) return undefined
    if ((text.match(/"\$(?:ref|dynamicRef)"/g) ?? []).length > MAX_REFERENCES) return undefined
    return new Validator(schema, '2020-12', false)
  } catch {
    return undefined
  }
}

/** Shallow enough, and without regular expressions long enough to hide an exponential one. */
function isTame(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (depth > MAX_DEPTH) return false
  const { pattern, patternProperties } = value as { pattern?: unknown; patternProperties?: unknown }
  // Names as regular expressions, and repeated groups, can take exponential time; references can multiply.
  if (patternProperties !== undefined) return false
  if (typeof pattern === 'string' && !isTamePattern(pattern)) return false
  return Object.values(value).every(child => isTame(child, depth + 1))
}

/** Short, without repeated groups and without one repetition after another. */
const isTamePattern = (pattern: string): boolean =>
  pattern.length <= MAX_PATTERN &&
  !/\)\??[+*{?]|[+*}]\)?[+*{]|\\[1-9]/.test(pattern) &&
  (pattern.match(/[+*}]/g) ?? []).length <= 3

/** References per schema; each may expand to a whole copy of its target. */
const MAX_REFERENCES = 16

function validate(validator: Validator, input: Fields): readonly string[] {
  try {
    const checked = runWithTimeout(MAX_MS, () => validator.validate(input))
    if (!checked || checked.valid) return []
    const { errors } = checked
    const leaves = errors.filter(error => !/^(properties|items|\$ref|allOf|anyOf|oneOf)$/.test(error.keyword))
    const told = leaves.length > 0 ? leaves : errors
    return told.slice(0, MAX_PROBLEMS).map(error => `${where(error.instanceLocation)}: ${error.error}`)
  } catch {
    // An unresolvable $ref or a bad pattern: the schema is at fault, not the call.
    return []
  }
}

function where(location: string): string {
  const path = location.replace(/^#\/?/, '').replaceAll('/', '.')
  return path === '' ? 'the arguments' : `\`${path}\``
}
