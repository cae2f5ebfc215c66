/** Settings of a request that a provider will not see, in one sentence each. Pure. */
import type { JsonObject, ModelRequest, Warning } from '@toolwire/core'
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
      message: `tools: the schema of "${tool.name}" has a union at its root, which the description explains to the model.`,
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

/** Leading system messages are sent as such. Of later ones, `sent` had their own position. */
export function systemWarnings({ messages }: ModelRequest, sent: number): readonly Warning[] {
  const leading = messages.findIndex(message => message.role !== 'system')
  if (leading === -1) return []
  const later = messages.slice(leading).flatMap(message => (message.role === 'system' ? message.content : []))
  const said = later.filter(part => part.type === 'text' && part.text.trim() !== '').length
  return sent < said ? [IN_TEXT] : []
}

const IN_TEXT: Warning = {
  code: 'system_in_text',
  message:
    'messages: a system message in the middle is passed on among the words of the user, marked as the system’s.',
}
