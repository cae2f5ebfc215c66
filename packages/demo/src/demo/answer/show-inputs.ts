/** Unusual but deliberate tool inputs: very large ones that fit the schema, and ones that break it. */
import type { ToolSpec } from '@toolwire/core'
import { fillSchema } from '../input/fill-schema.ts'
import {
  isSchema,
  listOf,
  numberOf,
  propertiesOf,
  requiredOf,
  resolveSchema,
  type Schema,
  typeOf,
} from '../input/json-schema.ts'

const LINE = 'Line with "quotes", a \\ backslash, a\ttab, 中文字符 and an emoji 🚀.\n'
const ROOMY = ['content', 'text', 'new_string', 'prompt', 'body', 'message']

/** The field that takes long text best: a free string, a roomy one first. */
export function stringField(schema: Schema): string | undefined {
  const root = resolveSchema(schema, schema)
  const free = Object.entries(propertiesOf(root)).flatMap(([name, property]) => {
    const field = resolveSchema(property, schema)
    const isFree = typeOf(field) === 'string' && field['enum'] === undefined && field['const'] === undefined
    return isFree && field['pattern'] === undefined && field['format'] === undefined ? [name] : []
  })
  return ROOMY.find(name => free.includes(name)) ?? free[0]
}

/** Valid input of about `bytes` bytes of text, less where the schema bounds the length. */
export function largeInput(tool: ToolSpec, bytes: number): unknown {
  const base = fillSchema(tool.input_schema, 'demo-big.txt')
  const field = stringField(tool.input_schema)
  if (field === undefined || !isSchema(base)) return base
  const schema = resolveSchema(
    propertiesOf(resolveSchema(tool.input_schema, tool.input_schema))[field],
    tool.input_schema,
  )
  const most = numberOf(schema['maxLength']) ?? Number.POSITIVE_INFINITY
  const least = numberOf(schema['minLength']) ?? 0
  const lineBytes = Buffer.byteLength(LINE)
  const text = LINE.repeat(Math.ceil(bytes / lineBytes) + Math.ceil(least / lineBytes))
  return { ...base, [field]: text.length <= most ? text : [...text].slice(0, most).join('') }
}

/** Input that the schema refuses: a field of the wrong type, or no object at all when no field is typed. */
export function invalidInput(schema: Schema): unknown {
  const root = resolveSchema(schema, schema)
  const properties = propertiesOf(root)
  const name = requiredOf(root).find(required => isSchema(properties[required])) ?? Object.keys(properties)[0]
  if (name === undefined) return []
  const field = resolveSchema(properties[name], schema)
  const types = typeof field['type'] === 'string' ? [field['type']] : listOf(field['type'])
  const wrong = [42, 'wrong', true, ['wrong'], { wrong: true }].find(
    value => !types.includes(jsonType(value)) && !(value === 42 && types.includes('integer')),
  )
  return { [name]: types.length === 0 ? null : wrong }
}

const jsonType = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value)
