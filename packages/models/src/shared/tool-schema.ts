/**
 * A tool's JSON Schema in the form that providers accept at the root: an object without unions. Flattened
 * constraints go into the description, so that the model still knows them.
 */
import type { ToolSpec } from '@toolwire/core'
import { isObject, type JsonObject } from '@toolwire/core'
import { inlineDefinitions } from './inline-definitions.ts'

export interface WireSchema {
  readonly schema: JsonObject
  /** A sentence to add to the description when the schema could not say everything. */
  readonly note?: string
}

const UNIONS = ['oneOf', 'anyOf', 'allOf'] as const

const made = new WeakMap<ToolSpec['input_schema'], WireSchema>()

/** Returns the schema itself when it is acceptable as it is, and the same one for the same one: a schema never changes. */
export function toWireSchema(given: ToolSpec['input_schema']): WireSchema {
  const known = made.get(given) ?? wireSchema(given)
  made.set(given, known)
  return known
}

function wireSchema(given: ToolSpec['input_schema']): WireSchema {
  const schema = inlineDefinitions(given)
  const union = UNIONS.find(key => Array.isArray(schema[key]))
  if (union === undefined) {
    if (schema['type'] === 'object')
      return { schema: schema['properties'] ? schema : { ...schema, properties: {} } }
    return { schema: { ...schema, type: 'object', properties: schema['properties'] ?? {} } }
  }
  return flatten(schema, union)
}

function flatten(schema: JsonObject, union: (typeof UNIONS)[number]): WireSchema {
  const { oneOf: _1, anyOf: _2, allOf: _3, ...rest } = schema
  const branches = (schema[union] as readonly unknown[]).filter(isObject)
  const properties: Record<string, unknown> = {}
  for (const branch of branches)
    for (const [name, value] of Object.entries(isObject(branch['properties']) ? branch['properties'] : {}))
      properties[name] ??= value
  const own = isObject(rest['properties']) ? rest['properties'] : {}
  return {
    schema: { ...rest, type: 'object', properties: { ...properties, ...own } },
    note: `The arguments must satisfy ${WORDS[union]}: ${JSON.stringify(schema[union])}`,
  }
}

const WORDS = {
  oneOf: 'exactly one of these schemas',
  anyOf: 'at least one of these schemas',
  allOf: 'all of these schemas',
} as const
