/** Reading JSON that others wrote: nothing here throws. */
import { endOfString } from '@toolwire/core'

export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value, or undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Deeper data would break the stack of whoever writes it into the log. */
const MAX_NESTING = 512

/** As `parseJson`, for what a provider says: undefined as well for what is nested too deeply to be kept. */
export const parseSaid = (text: string): unknown => (isTooDeep(text) ? undefined : parseJson(text))

function isTooDeep(text: string): boolean {
  // Most events are shorter than any text of that depth.
  if (text.length <= MAX_NESTING) return false
  let depth = 0
  for (let at = 0; at < text.length && depth <= MAX_NESTING; at++) {
    const char = text.charAt(at)
    if (char === '"') at = endOfString(text, at)
    else if (char === '[' || char === '{') depth += 1
    else if (char === ']' || char === '}') depth -= 1
  }
  return depth > MAX_NESTING
}

/** The arguments of a call as an object; `{}` for text that is empty, broken or not an object. */
export function parseArguments(input_text: string): JsonObject {
  const value = parseJson(input_text)
  return isObject(value) ? value : {}
}

export const asString = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

export const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** A number of things: not below nothing. */
export function asCount(value: unknown): number | undefined {
  const count = asNumber(value)
  return count === undefined || count < 0 ? undefined : count
}
