/** A server that is killed with SIGKILL: its program sends no further model request. */
import { type FakeUpstream, loadScenario, startFakeUpstream } from '@toolwire/demo'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { processesIn, type Turn } from './stage.ts'

const SERVER = fileURLToPath(new URL('./killed-server.ts', import.meta.url))

let home: string
let upstream: FakeUpstream
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'toolwire-killed-'))
})
afterEach(async () => {
  await upstream.close()
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
})

async function startServer(turns: readonly Turn[]): Promise<ChildProcess> {
  upstream = await startFakeUpstream({ model: loadScenario({ name: 'script', turns }) })
  return spawn(process.execPath, ['--conditions=toolwire-source', SERVER, home, upstream.url], {
    env: { ...process.env, TMPDIR: home },
    stdio: 'inherit',
  })
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(20)
}

/** When nothing of the program is left, nothing can send a request any more. */
async function requestsAfterKill(server: ChildProcess): Promise<number> {
  const before = upstream.requests.length
  server.kill('SIGKILL')
  await once(server, 'exit')
  await until(async () => (await processesIn(home)).length === 0)
  return upstream.requests.length - before
}

const bash = (command: string): Turn => ({
  type: 'tool_call',
  id: 'toolu_B',
  name: 'Bash',
  input: { command },
})
const DONE: Turn = { emit: [{ type: 'text', text: 'Done.' }] }

test('while the program runs one of its own commands', async () => {
  const server = await startServer([{ when: { turn: 1 }, emit: [bash('touch begun; sleep 3')] }, DONE])
  await until(() => existsSync(join(home, 'begun')))
  expect(await requestsAfterKill(server)).toBe(0)
})

test('while the program reads a message that ends with a call', async () => {
  const slow = [{ type: 'text', text: 'Soon.' }, { type: 'delay', ms: 3_000 }, bash('touch begun')]
  const server = await startServer([{ when: { turn: 1 }, emit: slow }, DONE])
  await until(() => upstream.requests.length === 1)
  expect(await requestsAfterKill(server)).toBe(0)
  expect(existsSync(join(home, 'begun'))).toBe(false)
})
