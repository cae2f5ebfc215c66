/** A received value in a few characters, with its type. */

const MAX = 80

export function showValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  const type = Array.isArray(value) ? 'array' : typeof value
  const text = JSON.stringify(value) ?? ''
  return `${type} ${text.length > MAX ? `${text.slice(0, MAX)}…` : text}`
}
