/** Reads the JSON Schema of a tool as far as making arguments needs it. Tolerant: a schema is data from outside. */
export type Schema = Readonly<Record<string, unknown>>

export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A schema keyword as a list, a number or an object of schemas; empty or undefined when it is something else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined
export const propertiesOf = (schema: Schema): Readonly<Record<string, unknown>> =>
  isSchema(schema['properties']) ? schema['properties'] : {}
export const requiredOf = (schema: Schema): readonly string[] =>
  listOf(schema['required']).filter(name => typeof name === 'string')

/** The schema with local references followed and the first usable branch of a choice taken. */
export function resolveSchema(value: unknown, root: Schema, depth = 0): Schema {
  if (!isSchema(value) || depth > 16) return {}
  const reference = value['$ref']
  if (typeof reference === 'string') return resolveSchema(pointed(reference, root), root, depth + 1)
  let schema = value
  for (const part of listOf(value['allOf'])) schema = merged(schema, resolveSchema(part, root, depth + 1))
  const branches = [...listOf(value['anyOf']), ...listOf(value['oneOf'])].map(branch =>
    resolveSchema(branch, root, depth + 1),
  )
  const branch = branches.find(candidate => typeOf(candidate) !== 'null') ?? branches[0]
  return branch ? merged(schema, branch) : schema
}

/** True if null is one of the schema's choices. */
export function allowsNull(value: unknown, root: Schema, depth = 0): boolean {
  if (!isSchema(value) || depth > 16) return false
  const reference = value['$ref']
  if (typeof reference === 'string') return allowsNull(pointed(reference, root), root, depth + 1)
  if (value['const'] !== undefined) return value['const'] === null
  const choices = listOf(value['enum'])
  if (choices.length > 0) return choices.includes(null)
  const branches = [...listOf(value['anyOf']), ...listOf(value['oneOf'])]
  return (
    value['type'] === 'null' ||
    listOf(value['type']).includes('null') ||
    branches.some(branch => allowsNull(branch, root, depth + 1))
  )
}

/** The one type to make: the first that is not null, or what the other keywords imply. */
export function typeOf(schema: Schema): string {
  const declared = schema['type']
  if (typeof declared === 'string') return declared
  const first = listOf(declared).find(type => type !== 'null') ?? listOf(declared)[0]
  if (typeof first === 'string') return first
  if (isSchema(schema['properties'])) return 'object'
  if (schema['items'] !== undefined) return 'array'
  if (schema['minimum'] !== undefined || schema['maximum'] !== undefined) return 'number'
  return 'string'
}

function merged(base: Schema, more: Schema): Schema {
  return {
    ...base,
    ...more,
    ...(base['properties'] || more['properties']
      ? { properties: { ...propertiesOf(base), ...propertiesOf(more) } }
      : {}),
    ...(base['required'] || more['required']
      ? { required: [...new Set([...requiredOf(base), ...requiredOf(more)])] }
      : {}),
  }
}

/** A reference that is no proper URI names what it says. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

function pointed(reference: string, root: Schema): unknown {
  if (!reference.startsWith('#')) return {}
  let at: unknown = root
  for (const step of reference
    .slice(1)
    .split('/')
    .filter(part => part !== '')) {
    const key = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
    at = isSchema(at) ? at[key] : Array.isArray(at) ? at[Number(key)] : undefined
  }
  return at
}
