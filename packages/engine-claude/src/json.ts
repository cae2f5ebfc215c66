/** Reads values of unchecked shape. */
import { isObject, type JsonObject } from '@toolwire/core'

/** An object, or an empty one. */
export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** The objects of a list; nothing for anything else. */
export const asObjects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

export const asText = (value: unknown): string => (typeof value === 'string' ? value : '')
