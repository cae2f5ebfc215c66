/**
 * Reduces a JSON Schema to the subset that a provider can enforce. Constraints outside of it go into the
 * description, so that the model still knows them.
 */
import { isObject, type JsonObject } from '@toolwire/core'

const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
])

/** Pure. Undefined when the schema cannot be held to: a part without a type, or an object that takes any field. */
export function toStrictSchema(schema: JsonObject): JsonObject | undefined {
  try {
    return convert(schema)
  } catch (error) {
    if (error instanceof UnsupportedSchemaError) return undefined
    throw error
  }
}

class UnsupportedSchemaError extends Error {}

type Fields = Record<string, unknown>

function convert(schema: unknown): JsonObject {
  if (!isObject(schema)) throw new UnsupportedSchemaError()
  const rest: Fields = { ...schema }
  const out: Fields = {}
  move(rest, out, '$defs', convertEach)
  if ('$ref' in rest) return { ...out, $ref: rest['$ref'] }
  const isLiteral = moveLiterals(rest, out)
  const { type } = rest
  delete rest['type']
  const isUnion = moveUnion(rest, out)
  if (!isLiteral && !isUnion) {
    if (typeof type !== 'string') throw new UnsupportedSchemaError()
    out['type'] = type
  }
  move(rest, out, 'description')
  move(rest, out, 'title')
  if (!isLiteral && type === 'object') moveObject(rest, out)
  if (!isLiteral && type === 'string' && FORMATS.has(rest['format'])) move(rest, out, 'format')
  if (!isLiteral && type === 'array') moveList(rest, out)
  return withWords(out, rest)
}

const keep = (value: unknown): unknown => value

function move(from: Fields, to: Fields, name: string, change: (value: unknown) => unknown = keep): void {
  if (from[name] === undefined) return
  to[name] = change(from[name])
  delete from[name]
}

function convertEach(schemas: unknown): JsonObject {
  if (!isObject(schemas)) throw new UnsupportedSchemaError()
  return Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, convert(one)]))
}

const isPlain = (value: unknown): boolean => value === null || typeof value !== 'object'

function moveLiterals(rest: Fields, out: Fields): boolean {
  const values = rest['enum']
  if (Array.isArray(values) && values.length > 0 && values.every(isPlain)) move(rest, out, 'enum')
  if (rest['const'] !== undefined && isPlain(rest['const'])) move(rest, out, 'const')
  return 'enum' in out || 'const' in out
}

/** Of several unions the first counts, and "exactly one" is said as "at least one". */
function moveUnion(rest: Fields, out: Fields): boolean {
  const name = ['anyOf', 'oneOf', 'allOf'].find(key => Array.isArray(rest[key]))
  if (name === undefined) return false
  const members = (rest[name] as readonly unknown[]).map(convert)
  out[name === 'allOf' ? 'allOf' : 'anyOf'] = members
  delete rest[name]
  return true
}

function moveObject(rest: Fields, out: Fields): void {
  const more = rest['additionalProperties']
  if (more === true || isObject(more)) throw new UnsupportedSchemaError()
  delete rest['additionalProperties']
  out['properties'] = convertEach(rest['properties'] ?? {})
  delete rest['properties']
  out['additionalProperties'] = false
  move(rest, out, 'required')
}

function moveList(rest: Fields, out: Fields): void {
  move(rest, out, 'items', convert)
  if (rest['minItems'] === 0 || rest['minItems'] === 1) move(rest, out, 'minItems')
}

function withWords(out: Fields, rest: Fields): JsonObject {
  const left = Object.entries(rest).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  if (left.length === 0) return out
  const before =
    typeof out['description'] === 'string' && out['description'] !== '' ? `${out['description']}\n\n` : ''
  return { ...out, description: `${before}{${left.join(', ')}}` }
}
