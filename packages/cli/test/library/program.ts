/** What a program brings that embeds Toolwire: a tool that changes something, and a model that calls it. */
import type { Model, ModelPart } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../../src/index.ts'

export const refundTool = (onCall: (order: string) => void = () => {}) =>
  defineTool({
    name: 'Refund',
    description: 'Pays an order back.',
    input: z.strictObject({ order: z.string() }),
    async *call({ order }) {
      onCall(order)
      yield { type: 'result', output_text: `Order ${order} is paid back.` }
    },
  })

const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }

function* say(text: string): Iterable<ModelPart> {
  yield { type: 'block-start', index: 0, kind: 'text' }
  for (const word of text.split(/(?<= )/)) yield { type: 'block-delta', index: 0, text: word }
  yield { type: 'block-end', index: 0 }
  yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage }
}

function* call(input_text: string): Iterable<ModelPart> {
  yield { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: 'call_1', name: 'Refund' } }
  yield { type: 'block-delta', index: 0, input_text }
  yield { type: 'block-end', index: 0 }
  yield { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage }
}

/** Calls Refund for order 7, then reports its result; says `text` to anything else. */
export const refundModel = (text = 'It is done.'): Model => ({
  provider: 'test',
  id: 'refunds',
  async *stream({ messages }) {
    yield { type: 'start', provider_message_id: 'p', model: 'refunds' }
    const asked = JSON.stringify(messages)
    yield* asked.includes('refund') && !asked.includes('is paid back') ? call('{"order":"7"}') : say(text)
  },
})
