/** A tool that runs in this page. */
import { makeAssistantTool } from '@assistant-ui/react'

/** Throws for input without a number, and for more than the heater can do. */
function readDegrees(input: unknown): number {
  const value = (input as { readonly value?: unknown } | null)?.value
  if (typeof value !== 'number') throw new Error('value must be a number')
  if (value > 30) throw new Error('the heater has 30 degrees at most')
  return value
}

export const HeaterTool = makeAssistantTool({
  toolName: 'set_temperature',
  type: 'frontend',
  description: 'Sets the temperature of the heater on the page.',
  parameters: {
    type: 'object',
    properties: { value: { type: 'number', description: 'Degrees' } },
    required: ['value'],
  },
  execute: async input => {
    const temperature = readDegrees(input)
    document.title = `${temperature}°`
    return { temperature }
  },
})
