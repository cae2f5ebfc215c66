// An agent with one tool that changes something, so every call waits for an approval.
import { createToolwire, defineTool } from 'toolwire'
import { z } from 'zod'

const refund = defineTool({
  name: 'Refund',
  description: 'Pays an order back to the customer.',
  input: z.object({ order: z.string().describe('Number of the order') }),
  async *call({ order }) {
    yield { type: 'result', output_text: `Order ${order} is paid back.` }
  },
})

// Stands in for a model while you have no key: it calls Refund once and reports the result.
const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
const script = {
  provider: 'script',
  id: 'script',
  async *stream({ messages }) {
    const isPaid = JSON.stringify(messages).includes('is paid back')
    yield { type: 'start', provider_message_id: 'script', model: 'script' }
    yield isPaid
      ? { type: 'block-start', index: 0, kind: 'text' }
      : { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: 'call_1', name: 'Refund' } }
    if (isPaid) for (const word of ['The ', 'order ', 'is ', 'done.']) yield { type: 'block-delta', index: 0, text: word }
    else yield { type: 'block-delta', index: 0, input_text: '{"order":"7"}' }
    yield { type: 'block-end', index: 0 }
    yield isPaid
      ? { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage }
      : { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage }
  },
}

export const toolwire = createToolwire({
  basePath: '/agent',
  store: { sqlite: process.env.AGENT_DATA ?? './agent-data' },
  tools: [refund],
  models: { script },
  // Your own sign-in: return who calls, or null.
  authenticate: request => {
    const owner = request.headers.get('x-user')
    return owner === null ? null : { owner }
  },
})
