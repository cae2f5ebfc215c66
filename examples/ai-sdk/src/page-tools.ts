/** Tools that run in this page. The request brings them; the server runs everything else. */

export const PAGE_TOOLS = {
  set_temperature: {
    description: 'Sets the temperature of the heater on the page.',
    parameters: {
      type: 'object',
      properties: { value: { type: 'number', description: 'Degrees' } },
      required: ['value'],
    },
  },
} as const

/** Throws for input without a number, and for more than the heater can do. */
export function readDegrees(input: unknown): number {
  const value = (input as { readonly value?: unknown } | null)?.value
  if (typeof value !== 'number') throw new Error('value must be a number')
  if (value > 30) throw new Error('the heater has 30 degrees at most')
  return value
}
