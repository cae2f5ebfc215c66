/** Known arguments, bent to the tool as it was offered: other hosts' tools differ in fields. */
import type { ToolSpec } from '@toolwire/core'
import { fillSchema } from './fill-schema.ts'
import { isSchema, propertiesOf, requiredOf, resolveSchema, typeOf } from './json-schema.ts'

/**
 * `wanted` without the fields that the schema does not know, plus whatever else it requires,
 * taken from `text`. A schema without properties takes `wanted` as it is.
 */
export function fitInput(tool: ToolSpec, wanted: Readonly<Record<string, unknown>>, text: string): unknown {
  const schema = resolveSchema(tool.input_schema, tool.input_schema)
  const properties = propertiesOf(schema)
  if (Object.keys(properties).length === 0) return wanted
  const fitting = Object.entries(wanted).filter(
    ([name, value]) => isSchema(properties[name]) && isOfType(value, typeOf(properties[name])),
  )
  const kept = Object.fromEntries(fitting)
  if (requiredOf(schema).every(name => name in kept)) return kept
  const values = Object.values(wanted).filter(value => typeof value === 'string')
  const filled = fillSchema(tool.input_schema, values[0] ?? text)
  return isSchema(filled) ? { ...filled, ...kept } : filled
}

function isOfType(value: unknown, type: string): boolean {
  return type === 'array'
    ? Array.isArray(value)
    : type === 'integer'
      ? Number.isInteger(value)
      : typeof value === type
}
