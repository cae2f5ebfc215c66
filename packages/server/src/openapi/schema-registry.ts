/**
 * JSON Schemas of one document. A schema with an id (`.meta({ id })`), and those inside it, become named
 * components; the rest is inlined.
 */
import { z } from 'zod'

export type JsonSchema = { readonly [key: string]: unknown }

/** `in`: what a request may send. `out`: what an answer holds. */
type Direction = 'in' | 'out'

export interface SchemaRegistry {
  /** The schema, or a reference to it. Throws when two different schemas have the same id. */
  add(schema: z.ZodType, direction: Direction): JsonSchema
  /** All named schemas so far, sorted by name. */
  components(): Readonly<Record<string, JsonSchema>>
}

const HOME = '#/components/schemas/'

export function createSchemaBook(): SchemaRegistry {
  const named = new Map<string, JsonSchema>()
  /** Errors and sessions occur in many responses; the conversion is expensive. */
  const done = { in: new Map<z.ZodType, JsonSchema>(), out: new Map<z.ZodType, JsonSchema>() }

  const keep = (name: string, schema: JsonSchema): JsonSchema => {
    const known = named.get(name)
    if (known && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two different schemas are called ${name}`)
    named.set(name, schema)
    return { $ref: HOME + name }
  }

  const convert = (schema: z.ZodType, direction: Direction): JsonSchema => {
    const made = z.toJSONSchema(schema, {
      io: direction === 'in' ? 'input' : 'output',
      unrepresentable: 'any',
    })
    const { $schema: _, $defs = {}, ...root } = rewrite(made) as ConvertedSchema
    for (const [name, definition] of Object.entries($defs)) keep(name, withoutId(definition))
    const id = z.globalRegistry.get(schema)?.id
    return id === undefined || root['$ref'] !== undefined ? root : keep(id, withoutId(root))
  }

  return {
    add(schema, direction) {
      const known = done[direction].get(schema)
      if (known) return known
      const made = convert(schema, direction)
      done[direction].set(schema, made)
      return made
    },
    components: () => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

type ConvertedSchema = JsonSchema & { readonly $defs?: Readonly<Record<string, JsonSchema>> }

const withoutId = ({ id: _, ...schema }: JsonSchema): JsonSchema => schema

/**
 * References point to the components. Answers may gain fields, so no object says that it has no others. A choice with
 * a member that accepts every value accepts every value.
 */
function rewrite(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewrite)
  if (typeof value !== 'object' || value === null) return value
  const out: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    if (key === '$ref' && typeof item === 'string') out[key] = item.replace('#/$defs/', HOME)
    else if (key === 'additionalProperties' && item === false) continue
    else if (key === 'anyOf' && Array.isArray(item) && item.some(isAnything)) continue
    else out[key] = rewrite(item)
  }
  return out
}

const isAnything = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0
