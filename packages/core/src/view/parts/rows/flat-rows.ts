/** Values that fit into a table. */

const MAX_ROWS = 12
const MAX_CHARS = 300

/** Names and values of an object whose values are short and simple; undefined for any other value. */
export function flatRows(value: unknown): readonly (readonly [string, string])[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const entries = Object.entries(value)
  if (entries.length === 0 || entries.length > MAX_ROWS || !entries.every(isSimple)) return undefined
  return entries.map(([key, item]) => [key, String(item)] as const)
}

const isSimple = ([, item]: readonly [string, unknown]): boolean =>
  typeof item === 'string' ? item.length <= MAX_CHARS : typeof item !== 'object' || item === null
