/** The server under measurement: the real one on a durable SQLite log in a folder of its own. Its parent speaks to it over IPC. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Model, Store, Tool } from '@toolwire/core'
import { createRuntime, createToolSystem } from '@toolwire/runtime'
import { createServer } from '@toolwire/server'
import { openSqliteStore } from '@toolwire/store'

/** Serves until the parent says `stop`; any other message is answered with what `report` returns. */
export async function serveMeasured(
  model: Model,
  report: (store: Store) => Promise<object>,
  tools: readonly Tool[] = [],
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-bench-'))
  let n = 0
  const ids = { uuid: () => crypto.randomUUID(), prefixed: (prefix: string) => `${prefix}${++n}` }
  const clock = { now: () => new Date() }
  const store = await openSqliteStore({ dir })
  const runtime = createRuntime({
    log: store,
    models: () => model,
    tools: createToolSystem({ tools }),
    ids,
    clock,
    node: 'bench',
    toolNames: tools.map(tool => tool.name),
    maxTurns: 1000,
    onError: error => console.error(error),
  })
  const toolNames = tools.map(tool => tool.name)
  const config = { port: 0, model: model.id, workspace: dir, toolNames }
  const server = await createServer({ store, runtime, ids, clock, config })
  const url = await server.listen()
  await runtime.start()
  process.on('message', async message => {
    if (message !== 'stop') return void process.send?.(await report(store))
    await server.close()
    await runtime.stop()
    await store.close()
    rmSync(dir, { recursive: true, force: true })
    process.exit(0)
  })
  process.send?.({ url })
}
