/** Tool input as the provider's models write it: JSON with a space after each comma and colon. */
export function toInputText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toInputText).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}: ${toInputText(field)}`).join(', ')}}`
}
