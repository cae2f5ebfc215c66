/**
 * Arguments of a call for an API that wants them as a value. What the model wrote stays what it wrote: numbers keep
 * their digits, also those that a double cannot hold, and what is no object is quoted under a name that says so.
 */
import { isObject, type JsonObject } from './json.ts'

/** JSON.parse and JSON.rawJSON as the engine has them; the type library does not know them yet. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown }

/** `{}` for no text at all. Meant to be written as JSON again: odd numbers inside are opaque values. */
export function exactArguments(input_text: string): JsonObject {
  if (input_text.trim() === '') return {}
  try {
    const value = parse(input_text, keepDigits)
    return isObject(value) ? value : { _raw: input_text }
  } catch {
    return { _raw: input_text }
  }
}

const keepDigits: Reviver = (_, value, { source }) =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value
