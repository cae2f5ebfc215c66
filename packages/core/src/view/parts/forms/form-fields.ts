/**
 * Form fields, read from a JSON Schema: a tool's arguments or the answer to a question. Unusual schemas give JSON
 * fields.
 */

export interface FormField {
  readonly name: string
  /** Its label: the schema's title, or the name. */
  readonly title: string
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'json'
  /** In words, such as `string[]`. */
  readonly type: string
  readonly required: boolean
  readonly description: string
  /** Of a choice and of yes or no; each value as JSON. */
  readonly options: readonly FormOption[]
  readonly integer: boolean
  /** Its initial text. */
  readonly initial: string
}

interface FormOption {
  readonly value: string
  readonly label: string
}

export type Schema = Readonly<Record<string, unknown>>

/** The top level of an object schema, required fields first. What is nested is asked for as JSON. */
export function formFields(schema: Schema): readonly FormField[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const fields = Object.entries(asObject(schema['properties'])).map(([name, value]) =>
    toField(name, withoutNull(asObject(value)), required.includes(name)),
  )
  return [...fields.filter(field => field.required), ...fields.filter(field => !field.required)]
}

function toField(name: string, schema: Schema, required: boolean): FormField {
  const kind = kindOf(schema)
  const given = schema['default']
  return {
    name,
    title: typeof schema['title'] === 'string' ? schema['title'] : name,
    kind,
    type: typeWords(schema),
    required,
    description: typeof schema['description'] === 'string' ? schema['description'] : '',
    options: kind === 'boolean' ? YES_NO : optionsOf(schema),
    integer: schema['type'] === 'integer',
    initial: given === undefined ? '' : kind === 'text' ? String(given) : JSON.stringify(given),
  }
}

function kindOf(schema: Schema): FormField['kind'] {
  if (optionsOf(schema).length > 0) return 'choice'
  switch (schema['type']) {
    case 'string':
      return 'text'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'boolean'
    default:
      return 'json'
  }
}

const YES_NO: readonly FormOption[] = [true, false].map(value => toOption(value))

function toOption(value: unknown, label?: unknown): FormOption {
  const shown = typeof value === 'string' ? value : JSON.stringify(value)
  return { value: JSON.stringify(value), label: typeof label === 'string' ? label : shown }
}

/** An enumeration, with names where the schema has them, or values each of which has a title. */
function optionsOf(schema: Schema): readonly FormOption[] {
  if ('const' in schema) return [toOption(schema['const'], schema['title'])]
  const { enum: values, enumNames: names } = schema
  if (Array.isArray(values))
    return values.map((value, i) => toOption(value, Array.isArray(names) ? names[i] : undefined))
  const ways = waysOf(schema)
  return ways.length > 0 && ways.every(way => 'const' in way) ? ways.flatMap(optionsOf) : []
}

/** The alternatives of a schema; none when it has only one form. */
function waysOf(schema: Schema): readonly Schema[] {
  const ways = schema['anyOf'] ?? schema['oneOf']
  return Array.isArray(ways) ? ways.map(asObject) : []
}

/** A schema derived from arguments without one: their names and types, none required. */
export const schemaLike = (input: unknown): Schema => ({
  properties: Object.fromEntries(
    Object.entries(asObject(input)).map(([name, value]) => [name, { type: typeof value }]),
  ),
})

/** A field that may be null may as well be left out: `T or null` is asked for as T. */
function withoutNull(schema: Schema): Schema {
  const ways = waysOf(schema)
  if (ways.length > 0) {
    const rest = ways.filter(way => way['type'] !== 'null')
    const [only] = rest
    const { anyOf: _, oneOf: __, ...around } = schema
    return rest.length === 1 && only ? { ...around, ...only } : schema
  }
  const { type } = schema
  if (!Array.isArray(type)) return schema
  const rest = type.filter(name => name !== 'null')
  return rest.length === 1 ? { ...schema, type: rest[0] } : schema
}

/** A type in words, for a table of arguments. */
export function typeWords(schema: Schema): string {
  const { type } = schema
  const options = optionsOf(schema)
  if (options.length > 0) return options.map(option => option.value).join(' | ')
  const ways = waysOf(schema)
  if (ways.length > 0) return ways.map(typeWords).join(' | ')
  if (type === 'array') return `${typeWords(asObject(schema['items']))}[]`
  return Array.isArray(type) ? type.join(' | ') : typeof type === 'string' ? type : 'any'
}

const asObject = (value: unknown): Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
