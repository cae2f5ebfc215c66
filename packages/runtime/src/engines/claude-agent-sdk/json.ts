/** Reading values whose shape nobody has checked. */

export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object, or an empty one. */
export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** The objects of a list; nothing for anything else. */
export const asObjects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

export const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

export const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined
