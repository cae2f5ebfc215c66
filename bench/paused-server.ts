/** Threads that pause at a tool of the page; reports memory after a collection. Needs --expose-gc. */
import { createDemoModel } from '@toolwire/models'
import { serveMeasured } from './measured-server.ts'

await serveMeasured(createDemoModel({ paceMs: 0 }), async store => {
  globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  const { byState, bytes } = await store.stats()
  return { rss, heapUsed, external, paused: byState['paused'] ?? 0, bytes }
})
