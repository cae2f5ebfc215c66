/**
 * An agent with one read-only tool that takes as long as its arguments say. Reports when calls ran and when
 * their message was complete, by the log.
 */
import type { EventOf, Store } from '@toolwire/core'
import { createAnthropicModel } from '@toolwire/models'
import { defineTool } from '@toolwire/runtime'
import { z } from 'zod'
import { serveMeasured } from './measured-server.ts'

const calls: { readonly started: number; readonly ended: number }[] = []

const echo = defineTool({
  name: 'echo',
  description: 'Echo',
  input: z.object({ n: z.number(), ms: z.number(), data: z.string() }),
  isReadOnly: () => true,
  access: async () => [],
  async *call({ n, ms }) {
    const started = Date.now()
    if (ms > 0) await new Promise(resolve => setTimeout(resolve, ms))
    calls.push({ started, ended: Date.now() })
    yield { type: 'result', output_text: `done ${n}` }
  },
})

/** When the first message of the latest session was complete. */
async function messageEnd(store: Store): Promise<number> {
  const { items } = await store.list({ limit: 1 })
  const records = await store.read(items[0]?.id ?? '', 0, 10_000)
  const end = records
    .map(rec => rec.ev)
    .find((ev): ev is EventOf<'turn.completed'> => ev.type === 'turn.completed')
  return end ? Date.parse(end.ts) : Number.NaN
}

const model = createAnthropicModel({
  model: process.env['MODEL'] ?? '',
  apiKey: 'k',
  baseUrl: process.env['UPSTREAM'] ?? '',
})
await serveMeasured(
  model,
  async store => ({
    calls: calls.splice(0),
    message_end: await messageEnd(store),
    cpu_us: process.cpuUsage().user + process.cpuUsage().system,
  }),
  [echo],
)
