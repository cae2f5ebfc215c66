/** What a form asks for, read from the JSON Schema of a tool's arguments. Pure; odd schemas give JSON fields. */

export interface FormField {
  readonly name: string
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'json'
  /** In words, such as `string[]`. */
  readonly type: string
  readonly required: boolean
  readonly description: string
  /** Values of a choice, each as JSON. */
  readonly options: readonly string[]
  readonly integer: boolean
  /** What stands there before anybody types. */
  readonly initial: string
}

type Schema = Readonly<Record<string, unknown>>

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
    kind,
    type: typeWords(schema),
    required,
    description: typeof schema['description'] === 'string' ? schema['description'] : '',
    options: optionsOf(schema),
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

const optionsOf = (schema: Schema): readonly string[] =>
  'const' in schema
    ? [JSON.stringify(schema['const'])]
    : Array.isArray(schema['enum'])
      ? schema['enum'].map(value => JSON.stringify(value))
      : []

/** A field that may be null may as well be left out: `T or null` is asked for as T. */
function withoutNull(schema: Schema): Schema {
  const ways = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(ways)) {
    const rest = ways.map(asObject).filter(way => way['type'] !== 'null')
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
  if (options.length > 0) return options.join(' | ')
  const ways = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(ways)) return ways.map(part => typeWords(asObject(part))).join(' | ')
  if (type === 'array') return `${typeWords(asObject(schema['items']))}[]`
  return Array.isArray(type) ? type.join(' | ') : typeof type === 'string' ? type : 'any'
}

const asObject = (value: unknown): Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
