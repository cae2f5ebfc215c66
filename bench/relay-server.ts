/**
 * The server under measurement: durable SQLite log, the real HTTP server, and a model that emits a
 * fixed number of deltas. Its parent asks for CPU time over IPC.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Model, ModelPart } from '@toolwire/core'
import { createRuntime, createToolSystem } from '@toolwire/runtime'
import { createServer } from '@toolwire/server'
import { openSqliteStore } from '@toolwire/store'

const deltas = Number(process.env['DELTAS'] ?? 2000)
const paceMs = Number(process.env['PACE_MS'] ?? 0)
const dir = mkdtempSync(join(tmpdir(), 'toolwire-bench-'))

const usage = { input: 1, output: deltas, cache_read: 0, cache_write: 0, reasoning: 0 }
const model: Model = {
  provider: 'bench',
  id: 'bench',
  async *stream(): AsyncGenerator<ModelPart> {
    yield { type: 'start', provider_message_id: 'msg_bench', model: 'bench' }
    yield { type: 'block-start', index: 0, kind: 'text' }
    for (let i = 0; i < deltas; i += 1) {
      // As a socket would: a new event of the loop for every few deltas.
      if (paceMs > 0) await new Promise(resolve => setTimeout(resolve, paceMs))
      else if (i % 4 === 0) await new Promise(resolve => setImmediate(resolve))
      yield { type: 'block-delta', index: 0, text: `w${i % 1000} ` }
    }
    yield { type: 'block-end', index: 0 }
    yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage }
  },
}

let n = 0
const ids = { uuid: () => crypto.randomUUID(), prefixed: (prefix: string) => `${prefix}${++n}` }
const clock = { now: () => new Date() }
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
  config: { port: 0, model: 'bench', workspace: dir },
})
const url = await server.listen()
await runtime.start()
process.on('message', async message => {
  if (message === 'cpu') process.send?.({ cpu: process.cpuUsage(), rss: process.memoryUsage().rss })
  if (message === 'stop') {
    await server.close()
    await runtime.stop()
    await store.close()
    rmSync(dir, { recursive: true, force: true })
    process.exit(0)
  }
})
process.send?.({ url })
