/** Shared by both body decoders: the rejection, and reading lists and tools. */
import type { ToolSpec } from '@toolwire/core'
import { asString, isObject, type JsonObject } from '@toolwire/core'

/** The body is refused with status 400 and this message. */
export class BadBodyError extends Error {
  override readonly name = 'BadBodyError'
}

export function list(value: unknown, name: string): readonly JsonObject[] {
  if (!Array.isArray(value)) throw new BadBodyError(`${name}: Input should be a valid list`)
  return value.filter(isObject)
}

export function toSpec(name: unknown, description: unknown, schema: unknown): ToolSpec {
  const text = asString(description)
  const spec = asString(name)
  if (!spec || !/^[a-zA-Z0-9_-]{1,128}$/.test(spec))
    throw new BadBodyError(
      `tools: the name ${JSON.stringify(name)} should match pattern '^[a-zA-Z0-9_-]{1,128}$'`,
    )
  return {
    name: spec,
    ...(text === undefined ? {} : { description: text }),
    input_schema: isObject(schema) ? schema : { type: 'object', properties: {} },
  }
}
