/** `run: false`: one process serves and stores, another one on the same database runs. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../store/test/postgres/test-database.ts'
import { createToolwire, type Toolwire, type ToolwireOptions } from '../../src/index.ts'
import { createWorkerCheck } from '../../src/worker-check.ts'
import { refundModel, refundTool } from './program.ts'

let database: TestDatabase
const open: Toolwire[] = []
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  for (const toolwire of open.splice(0)) await toolwire.close()
  await database.drop()
})

function start(options: ToolwireOptions): Toolwire {
  const toolwire = createToolwire({
    store: { postgres: database.url },
    tools: [refundTool()],
    models: { refunds: refundModel() },
    access: 'open',
    ...options,
  })
  open.push(toolwire)
  return toolwire
}

async function readyz(toolwire: Toolwire): Promise<unknown> {
  const response = await toolwire.handler(new Request('http://localhost/readyz'))
  return { code: response.status, ...(await response.json()) }
}

const sent = (id: string, message = 'refund order 7') => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ session_id: id, message }),
})

it('accepts a message without a worker, says so, and a worker that comes later runs it', async () => {
  const web = start({ run: false })
  expect(await readyz(web)).toMatchObject({ code: 200, worker: false })
  const { id } = await web.sessions.create()
  const leaving = new AbortController()
  const request = new Request('http://localhost/api/chat/stream', { ...sent(id), signal: leaving.signal })
  const response = await web.handler(request)
  expect([response.status, response.headers.get('x-toolwire-worker')]).toEqual([200, 'none'])
  leaving.abort()
  await response.text()
  expect((await web.sessions.get(id)).status).toBe('running')
  const worker = start({})
  await worker.ready()
  for await (const { ev } of web.as({ owner: 'default' }).events(id)) if (ev.type === 'run.paused') break
  await expect.poll(() => readyz(web)).toMatchObject({ worker: true })
  expect(await readyz(worker)).not.toHaveProperty('worker')
  const again = await web.handler(new Request(`http://localhost/api/sessions/${id}/events?wire=chat`))
  expect([again.status, again.headers.get('x-toolwire-worker')]).toEqual([200, null])
  await again.text()
})

it('has the whole answer when the web process is killed in its middle', async () => {
  const worker = start({})
  await worker.ready()
  const program = fileURLToPath(new URL('./web-process.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=toolwire-source', program, database.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const { value: url } = (await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()) as {
    readonly value: string
  }
  const { id } = (await (await fetch(`${url}/api/sessions`, { method: 'POST' })).json()) as {
    readonly id: string
  }
  const response = await fetch(`${url}/api/chat/stream`, sent(id))
  const reader = response.body?.getReader()
  await reader?.read()
  child.kill('SIGKILL')
  await ended
  await reader?.read().catch(() => {})
  const client = worker.as({ owner: 'default' })
  for await (const { ev } of client.events(id)) if (ev.type === 'run.paused') break
  await client.approve((await client.sessions.get(id)).pending[0]?.id ?? '')
  const texts: string[] = []
  for await (const { ev } of client.events(id)) {
    if (ev.type === 'tool.completed') texts.push(ev.output_text)
    if (ev.type === 'run.completed') break
  }
  expect(texts).toEqual(['Order 7 is paid back.'])
})

it('asks the database once a second at most, and takes one that is away for no lack of workers', async () => {
  let asked = 0
  let now = 0
  const check = createWorkerCheck({ hasLiveNode: async () => ++asked > 1 }, () => now)
  expect([await check(), await check(), asked]).toEqual([false, false, 1])
  now = 1000
  expect([await check(), asked]).toEqual([true, 2])
  const away = createWorkerCheck({
    hasLiveNode: async () => {
      throw new Error('away')
    },
  })
  expect(await away()).toBe(true)
})
