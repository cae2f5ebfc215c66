import { createMemoryRecords, openFolderFiles } from '@toolwire/store'
import { afterEach, expect, test } from 'vitest'
import { createInstruments } from '../../src/index.ts'
import type { DescribedOperation, OpenApiDocument } from '../../src/openapi/document.ts'
import { toPath } from '../../src/openapi/document.ts'
import { ROUTES } from '../../src/routes.ts'
import type { TestConfig } from '../split-config.ts'
import { type Running, startServer } from '../start-server.ts'

let running: Running | undefined
afterEach(async () => {
  await running?.close()
  running = undefined
})

const mcp: TestConfig['mcp'] = {
  status: () => [],
  finishSignIn: async () => undefined,
  signOut: async () => false,
}

const mcpServer: TestConfig['mcpServer'] = {
  open: () => ({ handle: async () => new Response(), close: async () => {} }),
}

/** A server with every route that there can be. */
async function startWhole(config: TestConfig = {}): Promise<Running> {
  const instruments = createInstruments()
  running = await startServer(
    { mcp, mcpServer, ...config },
    {
      records: createMemoryRecords(),
      files: openFolderFiles({ dir: '/nowhere/files' }),
      instruments,
      webRoot: '/nowhere',
    },
  )
  return running
}

const read = async (server: Running): Promise<OpenApiDocument> =>
  (await fetch(`${server.url}/openapi.json`)).json()

const operationsOf = (document: OpenApiDocument): readonly (DescribedOperation & { readonly at: string })[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      at: `${method.toUpperCase()} ${path}`,
    })),
  )

test('no route is declared twice, and a server with everything has all of them', async () => {
  const names = ROUTES.map(({ method, path }) => `${method} ${path}`)
  expect(new Set(names).size).toBe(names.length)
  const { server } = await startWhole()
  expect(server.routes.map(({ method, path }) => `${method} ${path}`)).toEqual(names)
})

test('the document holds the routes that this server has, and no others', async () => {
  running = await startServer()
  const document = await read(running)
  const routes = running.server.routes
    .filter(({ method }) => method !== 'HEAD')
    .map(({ method, path }) => `${method} ${toPath(path)}`)
  expect(
    operationsOf(document)
      .map(({ at }) => at)
      .sort(),
  ).toEqual(routes.sort())
  expect(document.paths['/api/mcp']).toBeUndefined()
  expect(document.paths['/metrics']).toBeUndefined()
})

test('the document is whole: version, unique ids, answers, parameters of every path, references that lead somewhere', async () => {
  const document = await read(await startWhole({ version: '9.9.9' }))
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Toolwire', version: '9.9.9' } })
  const operations = operationsOf(document)
  expect(new Set(operations.map(one => one.operationId)).size).toBe(operations.length)
  for (const { at, responses, parameters = [], tags, summary } of operations) {
    expect(
      Object.keys(responses).some(status => /^2\d\d$/.test(status)),
      at,
    ).toBe(true)
    expect(
      Object.values(responses).every(({ description }) => description !== ''),
      at,
    ).toBe(true)
    expect(summary, at).not.toBe('')
    expect(document.tags.map(tag => tag.name)).toContain(tags[0])
    const named = [...at.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const inPath = parameters.filter(one => one.in === 'path')
    expect(
      inPath.map(one => one.name),
      at,
    ).toEqual(named)
    expect(
      inPath.every(one => one.required),
      at,
    ).toBe(true)
  }
  for (const ref of refsOf(document)) {
    const name = /^#\/components\/schemas\/([\w.-]+)$/.exec(ref)?.[1]
    expect(document.components.schemas, ref).toHaveProperty([name ?? ref])
  }
  expect(refsOf(document).length).toBeGreaterThan(100)
})

function refsOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) =>
    key === '$ref' && typeof item === 'string' ? [item] : refsOf(item),
  )
}

test('an operation answers without a key exactly when the document says so', async () => {
  const server = await startWhole({ apiKeys: ['a-key-of-length'] })
  const document = await read(server)
  for (const { at, security } of operationsOf(document)) {
    const [method = '', path = ''] = at.split(' ')
    const { status } = await fetch(server.url + path.replaceAll(/\{\w+\}/g, 'none'), { method })
    expect(status === 401, at).toBe(security === undefined)
  }
})

test('the scope that an operation names is the one that it asks of a key', async () => {
  const document = await read(await startWhole())
  const scopeOf = (path: string, method: string) =>
    /Scope of the key: `(\w+)`/.exec(document.paths[path]?.[method]?.description ?? '')?.[1]
  expect(scopeOf('/api/sessions', 'get')).toBe('read')
  expect(scopeOf('/api/sessions', 'post')).toBe('write')
  expect(scopeOf('/api/approvals/{id}', 'post')).toBe('approve')
  expect(scopeOf('/v1/messages', 'post')).toBe('gateway')
  expect(scopeOf('/metrics', 'get')).toBe('metrics')
  expect(scopeOf('/api/audit', 'get')).toBe('admin')
  expect(scopeOf('/healthz', 'get')).toBeUndefined()
})
