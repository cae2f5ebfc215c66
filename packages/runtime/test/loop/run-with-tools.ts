/** One session on a separate store with the given tools, from its first message until it is idle. */
import type { Model, SessionEvent, Store, ToolSystem } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { createRuntime, type Runtime } from '../../src/runtime.ts'
import { opening, SESSION, seed } from './stage.ts'

/** The caller stops the runtime. Anything the runtime reports is thrown. */
export async function runWithTools(
  model: Model,
  tools: ToolSystem,
  events: readonly SessionEvent[] = opening('go'),
): Promise<{ readonly store: Store; readonly runtime: Runtime }> {
  const store = createMemoryStore()
  let n = 0
  const runtime = createRuntime({
    log: store,
    models: () => model,
    tools,
    ids: { uuid: () => `run-${++n}`, prefixed: prefix => `${prefix}${++n}` },
    clock: { now: () => new Date() },
    node: 'n',
    toolNames: [],
    maxTurns: 5,
    onError(error) {
      throw error
    },
  })
  await seed(store, events)
  await runtime.start()
  runtime.wake(SESSION)
  await runtime.settled()
  return { store, runtime }
}
