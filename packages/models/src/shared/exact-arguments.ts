/**
 * Arguments of a call for an API that wants them as a value. What the model wrote stays what it wrote: numbers keep
 * their digits and keys their order, and what is no object is quoted under a name that says so.
 */
import { isObject, type JsonObject, readExact } from '@toolwire/core'

/** `{}` for no text at all. Meant for `writeJson`: arguments that a plain value could not hold are opaque. */
export function exactArguments(input_text: string): JsonObject {
  if (input_text.trim() === '') return {}
  if (!input_text.trimStart().startsWith('{')) return { _raw: input_text }
  try {
    const value = readExact(input_text)
    return isObject(value) ? value : { _raw: input_text }
  } catch {
    return { _raw: input_text }
  }
}
