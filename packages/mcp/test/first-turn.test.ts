/** Servers that are slow, broken or gone, and a session that never notices: no turn waits for them. */
import type { Runtime } from '@toolwire/runtime'
import { createToolSystem } from '@toolwire/tools'
import { afterEach, expect, test } from 'vitest'
import { runWithTools } from '../../runtime/test/loop/run-with-tools.ts'
import { scriptedModel } from '../../runtime/test/loop/scripted-model.ts'
import { readAll, testTools } from '../../runtime/test/loop/stage.ts'
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
  const one = await runWithTools(
    scriptedModel([{ calls: [{ name: 'peek', input: { at: 'x' } }] }]),
    createToolSystem({ tools: () => [...testTools(new Map()), ...mcp.tools()] }),
  )
  runtime = one.runtime
  expect((await readAll(one.store)).at(-1)?.ev).toMatchObject({ type: 'run.completed', num_turns: 2 })
  expect(mcp.status()[0]?.state).toBe('connecting')
})
