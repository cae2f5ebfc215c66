// The agent: its tool, its model and its store. Everything else only serves it.
import { createToolwire, defineTool } from 'toolwire'
import { z } from 'zod'

// It changes something, so every call waits until a person approves it.
const refund = defineTool({
  name: 'Refund',
  description: 'Pays an order back to the customer.',
  input: z.object({ order: z.string().describe('Number of the order') }),
  async *call({ order }) {
    yield { type: 'result', output_text: `Order ${order} is paid back.` }
  },
})

export const toolwire = createToolwire({
  key: 'main',
  basePath: '/agent',
  store: { sqlite: process.env.AGENT_DATA ?? './agent-data' },
  tools: [refund],
  // Keys of model providers, such as ANTHROPIC_API_KEY. Without one the demo model answers.
  env: process.env,
  model: process.env.AGENT_MODEL,
  // Without a sign-in only programs on this machine may call. See "Sign-in" in README.md.
})
