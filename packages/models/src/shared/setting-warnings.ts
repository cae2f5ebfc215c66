/** What a provider will not see of a request's settings, said in one sentence each. Pure. */
import type { ModelRequest, Warning } from '@toolwire/core'
import type { JsonObject } from './json.ts'
import { toWireSchema } from './tool-schema.ts'

const isAsked = (value: unknown): boolean => value !== undefined && value !== null

export const ignored = (name: string): Warning => ({
  code: 'setting_ignored',
  message: `${name}: this model takes no such setting; it is ignored.`,
})

/** The settings among `names` that were asked for and are not in `sent`. */
export const ignoredSettings = (
  names: readonly string[],
  options: JsonObject,
  sent: JsonObject,
): readonly Warning[] => names.filter(name => isAsked(options[name]) && !isAsked(sent[name])).map(ignored)

/** Schemas that had to be put in another form, and strictness that the model cannot keep. */
export function toolWarnings(
  request: ModelRequest,
  keepsStrict: (schema: JsonObject) => boolean,
): readonly Warning[] {
  return request.tools.flatMap(tool => {
    const { note } = toWireSchema(tool.input_schema)
    const flattened: Warning = {
      code: 'schema_flattened',
      message: `tools: the schema of "${tool.name}" has a union at its root, which is told to the model in words.`,
    }
    const loose: Warning = {
      code: 'strict_ignored',
      message: `tools: "${tool.name}" is not held to its schema by the provider; arguments are checked when they arrive.`,
    }
    return [
      ...(note === undefined ? [] : [flattened]),
      ...(tool.strict && (note !== undefined || !keepsStrict(tool.input_schema)) ? [loose] : []),
    ]
  })
}
