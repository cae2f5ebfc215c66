/** The same description for tools that read another version of OpenAPI. Pure. */
import type { OpenApiDocument } from './document.ts'
import type { OpenApiVersion } from './openapi-version.ts'
import type { JsonSchema } from './schema-registry.ts'

export function toVersion(document: OpenApiDocument, version: OpenApiVersion): object {
  if (version === '3.1') return document
  return version === '3.2' ? toNewer(document) : toOlder(document)
}

/** OpenAPI 3.2 describes each event of a stream by `itemSchema`. */
function toNewer(document: OpenApiDocument): object {
  return { ...mapObjects(document, withItemSchema), openapi: '3.2.0' }
}

function withItemSchema(value: JsonSchema): JsonSchema {
  const { schema, ...rest } = value
  if (!isObject(schema) || !isObject(schema['contentSchema'])) return value
  const { contentMediaType, contentSchema } = schema
  const data = { type: 'string', contentMediaType, contentSchema }
  const properties = { data, id: { type: 'string' }, event: { type: 'string' } }
  return { ...rest, itemSchema: { type: 'object', properties, required: ['data'] } }
}

/** OpenAPI 3.0 has an older JSON Schema: no lists of types, no `const`, no type `null`, nothing beside a reference. */
function toOlder(document: OpenApiDocument): object {
  const { license: _, ...info } = document.info
  const paths = mapObjects(document.paths, entry =>
    isObject(entry['schema']) ? { ...entry, schema: toOlderSchema(entry['schema']) } : entry,
  )
  const schemas = mapValues(document.components.schemas, toOlderSchema)
  return {
    ...document,
    openapi: '3.0.3',
    info: { ...info, license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT' } },
    paths,
    components: { ...document.components, schemas: usedBy(paths, schemas) },
  }
}

/** Schemas that a path refers to, also through others. */
function usedBy(paths: object, schemas: JsonSchema): JsonSchema {
  const used = new Set<string>()
  function visit(value: unknown): void {
    for (const name of refsIn(value)) {
      if (used.has(name)) continue
      used.add(name)
      visit(schemas[name])
    }
  }
  visit(paths)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))
}

const refsIn = (value: unknown): readonly string[] =>
  [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = '']) => name)

const UNKNOWN_TO_OLDER = new Set([
  'contentMediaType',
  'contentSchema',
  'contentEncoding',
  'propertyNames',
  'patternProperties',
  'prefixItems',
  'examples',
  '$schema',
  '$comment',
])

type Convert = (item: unknown) => JsonSchema

const older: Convert = item => toOlderSchema(item)
const bound = (name: string, flag: string, item: unknown): JsonSchema =>
  typeof item === 'number' ? { [name]: item, [flag]: true } : { [flag]: item }

/** Keywords whose value is another one in the older form; the rest stays, or is left out. */
const KEYWORDS: Readonly<Record<string, Convert>> = {
  const: item => ({ enum: [item] }),
  properties: item => ({ properties: isObject(item) ? mapValues(item, older) : item }),
  additionalProperties: item => ({ additionalProperties: isObject(item) ? older(item) : item }),
  items: item => ({ items: older(item) }),
  not: item => ({ not: older(item) }),
  anyOf: item => ({ anyOf: listOf(item).map(older) }),
  oneOf: item => ({ oneOf: listOf(item).map(older) }),
  allOf: item => ({ allOf: listOf(item).map(older) }),
  exclusiveMinimum: item => bound('minimum', 'exclusiveMinimum', item),
  exclusiveMaximum: item => bound('maximum', 'exclusiveMaximum', item),
}

function toOlderSchema(value: unknown): JsonSchema {
  // `true` accepts every value, as an empty schema does.
  if (!isObject(value)) return {}
  const { $ref, ...rest } = value
  if (typeof $ref === 'string')
    return Object.keys(rest).length === 0 ? { $ref } : { allOf: [{ $ref }], ...toOlderSchema(rest) }
  const parts = Object.entries(withoutNull(value))
    .filter(([key]) => !UNKNOWN_TO_OLDER.has(key))
    .map(([key, item]) => KEYWORDS[key]?.(item) ?? { [key]: item })
  const schema: JsonSchema = Object.assign({}, ...parts)
  return schema['type'] === 'array' && !schema['items'] ? { ...schema, items: itemsOf(value) } : schema
}

/** The entries of a tuple as a choice; any value where nothing is said. */
function itemsOf({ prefixItems }: JsonSchema): JsonSchema {
  return Array.isArray(prefixItems) ? { anyOf: prefixItems.map(toOlderSchema) } : {}
}

/** Null in the older form, where it is a mark of another type. */
const NULL = { type: 'object', nullable: true, enum: [null] } as const

function withoutNull(schema: JsonSchema): JsonSchema {
  const { type } = schema
  if (type === 'null') return { ...without(schema, 'type'), ...NULL }
  if (Array.isArray(type)) return withOneType(without(schema, 'type'), type)
  const key = (['anyOf', 'oneOf'] as const).find(name => listOf(schema[name]).some(isNull))
  if (key === undefined) return schema
  const others = listOf(schema[key]).filter(one => !isNull(one))
  const [only] = others
  if (others.length > 1 || !isObject(only) || typeof only['type'] !== 'string')
    return { ...schema, [key]: [...others, NULL] }
  return { ...only, ...without(schema, key), nullable: true }
}

function withOneType(schema: JsonSchema, types: readonly unknown[]): JsonSchema {
  const others = types.filter(one => one !== 'null')
  const [only] = others
  const isNullable = others.length < types.length
  if (others.length === 1) return { ...schema, type: only, ...(isNullable ? { nullable: true } : {}) }
  return { ...schema, anyOf: [...others.map(type => ({ type })), ...(isNullable ? [NULL] : [])] }
}

function without(schema: JsonSchema, key: string): JsonSchema {
  const { [key]: _, ...rest } = schema
  return rest
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const isNull = (schema: unknown): boolean => isObject(schema) && schema['type'] === 'null'
const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const mapValues = (value: JsonSchema, change: (item: unknown) => unknown): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item) as JsonSchema]))

/** Every object below, changed from the inside. */
function mapObjects<T>(value: T, change: (value: JsonSchema) => JsonSchema): T {
  if (Array.isArray(value)) return value.map(item => mapObjects(item, change)) as T
  if (!isObject(value)) return value
  return change(mapValues(value, item => mapObjects(item, change))) as T
}
