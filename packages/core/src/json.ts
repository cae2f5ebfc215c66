/** Reading JSON that others wrote: nothing here throws. */
import { isDeepJson } from './deep-json.ts'

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

/** As `parseJson`, for what a provider says: undefined as well for what is nested too deeply to be kept. */
export const parseBoundedJson = (text: string): unknown => (isDeepJson(text) ? undefined : parseJson(text))

/** The arguments of a call as an object; `{}` for text that is empty, broken, too deep or not an object. */
export function parseArguments(input_text: string): JsonObject {
  const value = parseBoundedJson(input_text)
  return isObject(value) ? value : {}
}

export const asString = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

export const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** A number of things. A provider that counts below nothing would give a run more than its limits. */
export function asCount(value: unknown): number | undefined {
  const count = asNumber(value)
  return count === undefined || count < 0 ? undefined : count
}
