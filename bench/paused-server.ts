/** A server whose threads all pause at a tool of the page; its parent asks for memory over IPC. Needs --expose-gc. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDemoModel } from '@toolwire/models'
import { createRuntime, createToolSystem } from '@toolwire/runtime'
import { createServer } from '@toolwire/server'
import { openSqliteStore } from '@toolwire/store'

const dir = mkdtempSync(join(tmpdir(), 'toolwire-bench-'))
let n = 0
const ids = { uuid: () => crypto.randomUUID(), prefixed: (prefix: string) => `${prefix}${++n}` }
const clock = { now: () => new Date() }
const model = createDemoModel({ paceMs: 0 })
const store = await openSqliteStore({ dir })
const runtime = createRuntime({
  log: store,
  models: () => model,
  tools: createToolSystem({ tools: [] }),
  ids,
  clock,
  node: 'bench',
  toolNames: [],
  maxTurns: 5,
  onError: error => console.error(error),
})
const server = await createServer({
  store,
  runtime,
  ids,
  clock,
  config: { port: 0, model: 'demo', workspace: dir },
})
const url = await server.listen()
await runtime.start()
process.on('message', async message => {
  if (message === 'memory') {
    globalThis.gc?.()
    const { rss, heapUsed, external } = process.memoryUsage()
    const { byState, bytes } = await store.stats()
    process.send?.({ rss, heapUsed, external, paused: byState['paused'] ?? 0, bytes })
  }
  if (message === 'stop') {
    await server.close()
    await runtime.stop()
    await store.close()
    rmSync(dir, { recursive: true, force: true })
    process.exit(0)
  }
})
process.send?.({ url })
