/** A model that emits a fixed number of deltas as fast as they are taken; reports CPU time. */
import type { Model, ModelPart } from '@toolwire/core'
import { serveMeasured } from './measured-server.ts'

const deltas = Number(process.env['DELTAS'] ?? 2000)
const usage = { input: 1, output: deltas, cache_read: 0, cache_write: 0, reasoning: 0 }

const model: Model = {
  provider: 'bench',
  id: 'bench',
  async *stream(): AsyncGenerator<ModelPart> {
    yield { type: 'start', provider_message_id: 'msg_bench', model: 'bench' }
    yield { type: 'block-start', index: 0, kind: 'text' }
    for (let i = 0; i < deltas; i += 1) {
      // As a socket would: a new event of the loop for every few deltas.
      if (i % 4 === 0) await new Promise(resolve => setImmediate(resolve))
      yield { type: 'block-delta', index: 0, text: `w${i % 1000} ` }
    }
    yield { type: 'block-end', index: 0 }
    yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage }
  },
}

await serveMeasured(model, async () => ({ cpu: process.cpuUsage(), rss: process.memoryUsage().rss }))
