/** Parts of a program that throw, hang or come twice: each hurts its own call alone. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createToolwire,
  defineTool,
  type Model,
  type Toolwire,
  type ToolwireOptions,
} from '../../src/index.ts'
import { refundModel, refundTool } from './program.ts'

let folder: string
const open: Toolwire[] = []
const rejections: unknown[] = []
const onRejection = (reason: unknown): void => void rejections.push(reason)
const start = (options: ToolwireOptions): Toolwire => {
  const toolwire = createToolwire(options)
  open.push(toolwire)
  return toolwire
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-hostile-'))
  process.on('unhandledRejection', onRejection)
})
afterEach(async () => {
  for (const toolwire of open.splice(0)) await toolwire.close()
  process.off('unhandledRejection', onRejection)
  rmSync(folder, { recursive: true, force: true })
  expect(rejections.splice(0)).toEqual([])
})

it('leaves a later instance of the same key alone when an earlier one is closed again', async () => {
  const options = { key: 'closed-twice', store: { sqlite: join(folder, 'data') } }
  const first = start(options)
  await first.ready()
  // Not awaited: the second one waits for the data by itself.
  void first.close()
  const second = start(options)
  expect(second).not.toBe(first)
  const { id } = await second.sessions.create()
  await first.close()
  expect(start(options)).toBe(second)
  expect((await second.sessions.get(id)).id).toBe(id)
})

it('does not move an instance to another base path', () => {
  start({ key: 'moved', basePath: '/agent' })
  expect(() => createToolwire({ key: 'moved', basePath: '/other' })).toThrow('basePath must be the same')
})

it('answers although the logger throws', async () => {
  const fail = (): never => {
    throw new Error('the logger is broken')
  }
  const toolwire = start({
    logger: { info: fail, error: fail },
    authenticate: () => Promise.reject(null),
  })
  const response = await toolwire.handler(new Request('https://app.example.com/api/sessions'))
  expect([response.status, (await response.json()).error.code]).toEqual([500, 'internal'])
  const alice = toolwire.as({ owner: 'alice' })
  const { id } = await alice.sessions.create()
  await alice.send(id, 'hello')
  for await (const { ev } of alice.events(id)) if (ev.type === 'run.completed') break
})

const stuck = () =>
  defineTool({
    name: 'Stuck',
    description: 'Never ends and ignores its signal.',
    input: z.strictObject({}),
    isReadOnly: () => true,
    async *call() {
      await new Promise(() => {})
    },
  })

const callOf = (name: string): Model => ({
  provider: 'script',
  id: 'script',
  async *stream() {
    const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
    yield { type: 'start', provider_message_id: 'one', model: 'script' }
    yield { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: 'call_1', name } }
    yield { type: 'block-delta', index: 0, input_text: '{}' }
    yield { type: 'block-end', index: 0 }
    yield { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage }
  },
})

it('closes while a tool hangs, and the next start ends the call', async () => {
  const store = { sqlite: join(folder, 'data') }
  const first = start({ store, tools: [stuck()], models: { script: callOf('Stuck') } })
  const alice = first.as({ owner: 'alice' })
  const { id } = await alice.sessions.create()
  await alice.send(id, 'begin')
  for await (const { ev } of alice.events(id)) if (ev.type === 'tool.started') break
  await first.close()
  const second = start({ store, tools: [], models: { script: refundModel() } })
  const again = second.as({ owner: 'alice' })
  const seen: string[] = []
  await second.ready()
  for await (const { ev } of again.events(id)) {
    seen.push(ev.type)
    if (ev.type === 'run.completed' || ev.type === 'run.failed' || ev.type === 'run.paused') break
  }
  expect(seen).toContain('tool.started')
})

it('closes while a model hangs', async () => {
  const hanging: Model = {
    provider: 'script',
    id: 'script',
    async *stream() {
      await new Promise(() => {})
    },
  }
  const toolwire = start({ models: { script: hanging } })
  const alice = toolwire.as({ owner: 'alice' })
  const { id } = await alice.sessions.create()
  await alice.send(id, 'begin')
  for await (const { ev } of alice.events(id)) if (ev.type === 'run.started') break
  await toolwire.close()
})

it('reports a tool whose checks throw as the error of its call', async () => {
  const broken = {
    ...refundTool(),
    isReadOnly: () => {
      throw new Error('broken check')
    },
  }
  const toolwire = start({ tools: [broken], models: { refunds: refundModel() } })
  const alice = toolwire.as({ owner: 'alice' })
  const { id } = await alice.sessions.create()
  await alice.send(id, 'refund')
  const seen: string[] = []
  for await (const { ev } of alice.events(id)) {
    seen.push(ev.type)
    if (/^run\.(completed|failed|paused)$/.test(ev.type)) break
  }
  expect(seen.at(-1)).toMatch(/^run\./)
  const other = await alice.sessions.create()
  expect((await alice.sessions.get(other.id)).status).toBe('idle')
})

it('lets options of JSON change no prototype', () => {
  const options = JSON.parse('{"__proto__": {"polluted": true}}') as ToolwireOptions
  expect(() => createToolwire(options)).toThrow('"__proto__" is no option')
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
})
