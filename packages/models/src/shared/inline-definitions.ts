/**
 * Schemas that keep their parts under `definitions` or `components.schemas`, which providers do not follow: each
 * part is put where it is referred to. One that refers to itself, or would make the schema grow without bound,
 * moves to `$defs`, which they do follow. Pure; means the same as before.
 */
import { isObject, type JsonObject } from '@toolwire/core'

const REFERENCE = /^#\/(?:definitions|components\/schemas)\/([^/]+)$/
/** Parts put in place; a small schema can refer to itself exponentially often without a circle. */
const MAX_INLINED = 500

export function inlineDefinitions(schema: JsonObject): JsonObject {
  const parts = partsOf(schema)
  if (Object.keys(parts).length === 0) return schema
  const kept = new Set<string>()
  let inlined = 0

  function walk(value: unknown, open: readonly string[]): unknown {
    if (Array.isArray(value)) return value.map(item => walk(item, open))
    if (!isObject(value)) return value
    const { $ref, ...rest } = value
    const name = nameOf($ref)
    const others = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, walk(item, open)]))
    if (name === undefined || !Object.hasOwn(parts, name))
      return $ref === undefined ? others : { $ref: walk($ref, open), ...others }
    if (open.includes(name) || ++inlined > MAX_INLINED) {
      kept.add(name)
      return { $ref: `#/$defs/${toPointer(name)}`, ...others }
    }
    const part = walk(parts[name], [...open, name])
    return isObject(part) ? { ...part, ...others } : part
  }

  const { definitions: _1, components: _2, ...own } = schema
  const root = walk(own, []) as JsonObject
  if (kept.size === 0) return root
  const defs: Record<string, unknown> = { ...(isObject(root['$defs']) ? root['$defs'] : {}) }
  // A set that grows while it is walked: parts may keep further parts.
  for (const name of kept) defs[name] = walk(parts[name], [name])
  return { ...root, $defs: defs }
}

function partsOf({ definitions, components }: JsonObject): JsonObject {
  const schemas = isObject(components) ? components['schemas'] : undefined
  return { ...(isObject(schemas) ? schemas : {}), ...(isObject(definitions) ? definitions : {}) }
}

function nameOf(reference: unknown): string | undefined {
  if (typeof reference !== 'string') return undefined
  return REFERENCE.exec(reference)?.[1]?.replaceAll('~1', '/').replaceAll('~0', '~')
}

const toPointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
