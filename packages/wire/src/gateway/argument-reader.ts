/** Arguments of calls by value: spelling, order of keys and defaults of the tool's schema make no difference. Pure. */
import { isDeeperThan, type ToolSpec } from '@toolwire/core'

/** A value that is equal for equal arguments. Large, deep or broken arguments are their text. */
export type ArgumentReader = (name: string, text: string) => unknown

const MAX_DEPTH = 32
/** Values that one reader looks at; what follows is compared as text. */
const MAX_VALUES = 100_000
/** Characters of one call. */
const MAX_TEXT = 256_000

type Schema = Readonly<Record<string, unknown>>

/** One per request or response. */
export function createArgumentReader(tools: readonly ToolSpec[]): ArgumentReader {
  const schemas = new Map(tools.map(tool => [tool.name, tool.input_schema]))
  let left = MAX_VALUES

  function normalize(value: unknown, schema: Schema): unknown {
    left -= 1
    if (typeof value !== 'object' || value === null || left < 0) return value
    if (Array.isArray(value)) return value.map(one => normalize(one, toSchema(schema['items'])))
    const properties = toSchema(schema['properties'])
    const members = Object.entries(value).flatMap(([key, one]) => {
      const own = Object.hasOwn(properties, key) ? toSchema(properties[key]) : {}
      return isDefault(one, own) ? [] : [[key, normalize(one, own)] as const]
    })
    return { members: members.sort(([a], [b]) => (a < b ? -1 : 1)) }
  }

  const isDefault = (value: unknown, schema: Schema): boolean =>
    Object.hasOwn(schema, 'default') &&
    !isDeeperThan(schema['default'], MAX_DEPTH) &&
    JSON.stringify(normalize(value, {})) === JSON.stringify(normalize(schema['default'], {}))

  return (name, text) => {
    const value = left > 0 && text.length <= MAX_TEXT ? parseObject(text) : undefined
    if (value === undefined || isDeeperThan(value, MAX_DEPTH)) return text
    const normalized = normalize(value, schemas.get(name) ?? {})
    return left < 0 ? text : normalized
  }
}

const toSchema = (value: unknown): Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {}

/** A non-object is wrapped, as in the history that a model gets. */
function parseObject(text: string): object | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { _raw: text }
  } catch {
    return { _raw: text }
  }
}
