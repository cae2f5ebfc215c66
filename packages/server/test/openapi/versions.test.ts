import { afterEach, describe, expect, test } from 'vitest'
import type { OpenApiDocument } from '../../src/openapi/document.ts'
import type { JsonSchema } from '../../src/openapi/schema-registry.ts'
import { toVersion } from '../../src/openapi/versions.ts'
import { type Running, startServer } from '../start-server.ts'

let running: Running | undefined
afterEach(async () => {
  await running?.close()
  running = undefined
})

async function read(version: string): Promise<OpenApiDocument> {
  running ??= await startServer()
  return await (await fetch(`${running.url}/openapi.json?version=${version}`)).json()
}

/** Every object inside of a value, with its path. */
function* objectsIn(value: unknown, path = ''): Generator<readonly [string, JsonSchema]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value as JsonSchema]
  for (const [key, item] of Object.entries(value)) yield* objectsIn(item, `${path}/${key}`)
}

/** Generators warn about each of them, or refuse the document. */
function problemsOf(document: OpenApiDocument): readonly string[] {
  const all = [...objectsIn(document)]
  const refs = new Set(all.map(([, { $ref }]) => $ref))
  const empty = all.filter(([path]) => /\/(anyOf|oneOf)\/\d+$/.test(path))
  return [
    ...empty.filter(([, schema]) => Object.keys(schema).length === 0).map(([path]) => `${path} is empty`),
    ...Object.keys(document.components.schemas)
      .filter(name => !refs.has(`#/components/schemas/${name}`))
      .map(name => `${name} is not used`),
    ...(document.servers.length > 0 ? [] : ['no servers']),
  ]
}

test.each(['3.0', '3.1', '3.2'])(
  'version %s has servers, no empty choice and no unused schema',
  async version => {
    const document = await read(version)
    expect(document.openapi.startsWith(version)).toBe(true)
    expect(problemsOf(document)).toEqual([])
  },
)

test('every version has the same operations', async () => {
  const ids = async (version: string) =>
    [...objectsIn((await read(version)).paths)].flatMap(([, { operationId }]) => operationId ?? [])
  const today = await ids('3.1')
  expect(today.length).toBeGreaterThan(60)
  expect(await ids('3.0')).toEqual(today)
  expect(await ids('3.2')).toEqual(today)
})

test('another version is refused', async () => {
  running = await startServer()
  const response = await fetch(`${running.url}/openapi.json?version=2.0`)
  expect([response.status, (await response.json()).error.code]).toEqual([400, 'bad_request'])
})

test('version 3.2 describes each event of a stream', async () => {
  const { paths } = await read('3.2')
  const content = paths['/api/chat/stream']?.['post']?.responses['200']?.content?.['text/event-stream']
  expect(content).toMatchObject({
    itemSchema: { properties: { data: { contentSchema: { $ref: '#/components/schemas/ChatFrame' } } } },
  })
  expect(content).not.toHaveProperty('schema')
})

test('version 3.0 has none of the keywords that came later', async () => {
  const { paths, components } = await read('3.0')
  const later = ['const', 'contentSchema', 'prefixItems', 'propertyNames', 'examples']
  const schemas = [...objectsIn({ paths, components })].filter(
    ([path]) => !/\/(properties|enum)(\/\d+)?$/.test(path),
  )
  expect(
    schemas.flatMap(([path, schema]) => later.filter(key => key in schema).map(key => `${path} ${key}`)),
  ).toEqual([])
  expect(schemas.filter(([, { type }]) => type === 'null' || Array.isArray(type))).toEqual([])
})

describe('a schema of version 3.0', () => {
  const cases: readonly (readonly [string, JsonSchema, JsonSchema])[] = [
    ['one type or null', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    ['several types', { type: ['string', 'number'] }, { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    [
      'a schema or null',
      { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      { type: 'integer', nullable: true },
    ],
    [
      'a reference or null',
      { anyOf: [{ $ref: '#/components/schemas/A' }, { type: 'null' }] },
      { anyOf: [{ $ref: '#/components/schemas/A' }, { type: 'object', nullable: true, enum: [null] }] },
    ],
    ['a constant', { const: 'a' }, { enum: ['a'] }],
    [
      'a bound',
      { type: 'integer', exclusiveMinimum: 0 },
      { type: 'integer', minimum: 0, exclusiveMinimum: true },
    ],
    [
      'a tuple',
      { type: 'array', prefixItems: [{ type: 'string' }, { const: 1 }] },
      { type: 'array', items: { anyOf: [{ type: 'string' }, { enum: [1] }] } },
    ],
    [
      'words beside a reference',
      { $ref: '#/components/schemas/A', description: 'words' },
      { allOf: [{ $ref: '#/components/schemas/A' }], description: 'words' },
    ],
    [
      'a field called type',
      { type: 'object', properties: { type: { const: 'a' }, const: { type: ['null'] } } },
      {
        type: 'object',
        properties: {
          type: { enum: ['a'] },
          const: { anyOf: [{ type: 'object', nullable: true, enum: [null] }] },
        },
      },
    ],
  ]
  test.each(cases)('says %s', (_, schema, expected) => {
    const document = {
      info: {},
      paths: { a: { schema: { $ref: '#/components/schemas/S' } } },
      components: { schemas: { S: schema, A: {} } },
    }
    const older = toVersion(document as unknown as OpenApiDocument, '3.0') as OpenApiDocument
    expect(older.components.schemas['S']).toEqual(expected)
  })
})
