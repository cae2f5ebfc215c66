/** Opening, closing and what one instance has to do with another. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createToolwire, type Toolwire, type ToolwireOptions } from '../../src/index.ts'
import { refundModel, refundTool } from './program.ts'

let folder: string
const open: Toolwire[] = []
const start = (options: ToolwireOptions): Toolwire => {
  const toolwire = createToolwire(options)
  open.push(toolwire)
  return toolwire
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-library-'))
})
afterEach(async () => {
  for (const toolwire of open.splice(0)) await toolwire.close()
  rmSync(folder, { recursive: true, force: true })
})

const HOST = 'https://app.example.com'
const get = (path: string): Request => new Request(HOST + path)

it('opens nothing before it is needed, and nothing at all when it is closed first', async () => {
  const data = join(folder, 'data')
  const toolwire = start({ store: { sqlite: data }, access: 'open', allowedHosts: ['app.example.com'] })
  expect(existsSync(data)).toBe(false)
  expect((await toolwire.handler(get('/readyz'))).status).toBe(200)
  expect(existsSync(join(data, 'toolwire.db'))).toBe(true)
  const never = start({ store: { sqlite: join(folder, 'never') } })
  await never.close()
  expect(existsSync(join(folder, 'never'))).toBe(false)
})

it('waits for the same end in every call of close, and answers 503 from then on', async () => {
  const toolwire = start({ apiKeys: ['a-key-of-the-test'] })
  await toolwire.ready()
  const closing = toolwire.close()
  expect(toolwire.close()).toBe(closing)
  const refused = await toolwire.handler(get('/healthz'))
  expect([refused.status, (await refused.json()).error.code]).toEqual([503, 'shutting_down'])
  await closing
  expect((await toolwire.handler(get('/healthz'))).status).toBe(503)
  await expect(toolwire.ready()).rejects.toMatchObject({ code: 'shutting_down' })
  await expect(toolwire.as({ owner: 'alice' }).sessions.list()).rejects.toMatchObject({
    code: 'shutting_down',
  })
})

it('says why a store cannot be opened, and tries again', async () => {
  const store = { sqlite: join(folder, 'data') }
  const first = start({ store, access: 'open' })
  await first.ready()
  const logged: string[] = []
  const logger = { info() {}, error: (_: object, message: string) => void logged.push(message) }
  const second = start({ store, access: 'open', logger, allowedHosts: ['app.example.com'] })
  await expect(second.ready()).rejects.toMatchObject({ name: 'ToolwireError', code: 'store_locked' })
  await expect(second.ready()).rejects.toThrow('the option key')
  const refused = await second.handler(get('/healthz'))
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await refused.json()).toMatchObject({ error: { code: 'not_ready', retryable: true } })
  expect(logged[0]).toContain('could not start')
  await first.close()
  expect((await second.handler(get('/healthz'))).status).toBe(200)
})

it('says that a workspace is no folder', async () => {
  const toolwire = start({ workspace: join(folder, 'none'), builtin: ['Read'] })
  await expect(toolwire.ready()).rejects.toMatchObject({ code: 'workspace_unusable' })
})

it('shares nothing with another instance of the process', async () => {
  const one = start({ tools: [refundTool()], models: { refunds: refundModel() } })
  const two = start({})
  const { id } = await one.as({ owner: 'alice' }).sessions.create()
  await expect(two.sessions.get(id)).rejects.toMatchObject({ code: 'session_not_found' })
  const names = async (toolwire: Toolwire) =>
    (await toolwire.as({ owner: 'alice' }).tools()).map(tool => tool.name)
  expect([await names(one), await names(two)]).toEqual([['Refund'], []])
  await one.close()
  expect((await two.sessions.list()).sessions).toEqual([])
})

it('offers no built-in tool but those that are named', async () => {
  const toolwire = start({ builtin: ['Clock', 'Read'], workspace: folder })
  expect((await toolwire.as({ owner: 'alice' }).tools()).map(tool => tool.name)).toEqual(['Read', 'Clock'])
})

it('leaves no folder of a store in memory behind', async () => {
  const toolwire = start({ data: undefined })
  const { id } = await toolwire.sessions.create()
  const { workspace_path } = await toolwire.sessions.get(id)
  await toolwire.close()
  expect(existsSync(workspace_path)).toBe(false)
})

it('leaves a store of the program open', async () => {
  const { createMemoryStore } = await import('@toolwire/store')
  const store = createMemoryStore()
  await using toolwire = createToolwire({ store })
  const { id } = await toolwire.sessions.create({ title: 'kept' })
  await toolwire.close()
  expect((await store.list({ ids: [id], limit: 1 })).items[0]?.title).toBe('kept')
})

it('is one instance for all calls with a key, with the tools and models of the latest', async () => {
  const store = { sqlite: join(folder, 'data') }
  const first = start({ key: 'lifecycle', store, tools: [refundTool()] })
  const { id } = await first.sessions.create({ title: 'before the edit' })
  const again: typeof import('../../src/index.ts') = await import(`../../src/index.ts?${'edited'}`)
  const second = again.createToolwire({
    key: 'lifecycle',
    store,
    tools: [],
    models: { refunds: refundModel() },
  })
  expect(second).toBe(first)
  expect((await second.sessions.get(id)).title).toBe('before the edit')
  expect(await second.as({ owner: 'alice' }).tools()).toEqual([])
  expect((await second.sessions.create({ model: 'refunds' })).model).toBe('refunds')
  expect(() => createToolwire({ key: 'lifecycle', authenticate: () => null })).toThrow(TypeError)
  await first.close()
  const later = start({ key: 'lifecycle', store })
  expect(later).not.toBe(first)
  expect((await later.sessions.get(id)).id).toBe(id)
})
