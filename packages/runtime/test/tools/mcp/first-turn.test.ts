/** Servers that are slow, broken or gone, and a session that never notices: no turn waits for them. */
import { createMemoryStore } from '@toolwire/store'
import { afterEach, expect, test } from 'vitest'
import { createRuntime, type Runtime } from '../../../src/runtime.ts'
import { createToolSystem } from '../../../src/tools/create-tool-system.ts'
import { scriptedModel } from '../../loop/scripted-model.ts'
import { opening, readAll, SESSION, seed, testTools } from '../../loop/stage.ts'
import { closeAll, program, start } from './stage-mcp.ts'

let runtime: Runtime | undefined
afterEach(async () => {
  await runtime?.stop()
  runtime = undefined
  await closeAll()
})

test('the first turns of a session end while one server still keeps silent and another cannot start', async () => {
  const missing = { ...program('stdio-server.ts'), command: '/does/not/exist' }
  const mcp = start({
    silent: program('hostile-server.ts', 'silent'),
    missing,
    nowhere: { type: 'http', url: 'http://127.0.0.1:9/mcp', headers: {} },
  })
  const store = createMemoryStore()
  let n = 0
  runtime = createRuntime({
    log: store,
    models: () => scriptedModel([{ calls: [{ name: 'peek', input: { at: 'x' } }] }]),
    tools: createToolSystem({ tools: () => [...testTools(new Map()), ...mcp.tools()] }),
    ids: { uuid: () => `run-${++n}`, prefixed: prefix => `${prefix}${++n}` },
    clock: { now: () => new Date() },
    node: 'n',
    toolNames: [],
    maxTurns: 5,
    onError(error) {
      throw error
    },
  })
  await seed(store, opening('go'))
  await runtime.start()
  runtime.wake(SESSION)
  await runtime.settled()
  expect((await readAll(store)).at(-1)?.ev).toMatchObject({ type: 'run.completed', num_turns: 2 })
  expect(mcp.status()[0]?.state).toBe('connecting')
})
