/** Strings that hold JSON: what this wire promises of `arguments`, `output` and `details`. */
import { parseBoundedJson } from '@toolwire/core'

/** The arguments exactly as the model wrote them; a call without any text has no arguments. */
export const toArguments = (inputText: string): string => (inputText.trim() === '' ? '{}' : inputText)

/** The output exactly as received when it is JSON; any other text as a JSON string literal. */
export const toOutput = (text: string): string => (isJson(text) ? text : JSON.stringify(text))

/** Details as text: strings as they are, other values as JSON. */
export function toDetails(details: unknown): string | undefined {
  if (details === undefined || typeof details === 'string') return details
  return JSON.stringify(details)
}

/** True if the text is one JSON value, of a depth that readers can take. */
export const isJson = (text: string): boolean => parseBoundedJson(text) !== undefined
