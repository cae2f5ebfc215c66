// One file per tool. The kit brings what it needs; only the types come from a package.
import type { ToolKit } from 'toolwire'

export const tool = ({ defineTool, z }: ToolKit) =>
  defineTool({
    name: 'Refund',
    description: 'Pays an order back to the customer.',
    input: z.strictObject({ order: z.string().describe('Number of the order') }),
    // It changes something, so every call waits until a person approves it.
    isReadOnly: () => false,
    async *call({ order }) {
      yield { type: 'result', output_text: `Order ${order} is paid back.` }
    },
  })
