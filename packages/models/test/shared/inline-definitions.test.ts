import { describe, expect, test } from 'vitest'
import { inlineDefinitions } from '../../src/shared/inline-definitions.ts'
import { toWireSchema } from '../../src/shared/tool-schema.ts'

const city = { type: 'object', properties: { name: { type: 'string' } } }

describe('parts of a schema that providers do not follow', () => {
  test.each([
    ['definitions', { definitions: { city } }, '#/definitions/city'],
    ['components.schemas', { components: { schemas: { city } } }, '#/components/schemas/city'],
  ])('%s are put where they are referred to', (_, parts, $ref) => {
    const schema = { type: 'object', properties: { from: { $ref, description: 'start' } }, ...parts }
    expect(toWireSchema(schema).schema).toEqual({
      type: 'object',
      properties: { from: { ...city, description: 'start' } },
    })
  })

  test('a part may refer to another, and a name may hold any character', () => {
    const schema = {
      definitions: { 'a/b': { type: 'array', items: { $ref: '#/definitions/city' } }, city },
      properties: { list: { $ref: '#/definitions/a~1b' } },
    }
    expect(inlineDefinitions(schema)).toEqual({ properties: { list: { type: 'array', items: city } } })
  })

  test('a part that refers to itself moves to $defs', () => {
    const tree = {
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#/definitions/tree' } } },
    }
    const inner = {
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
    }
    expect(
      inlineDefinitions({ properties: { root: { $ref: '#/definitions/tree' } }, definitions: { tree } }),
    ).toEqual({ properties: { root: inner }, $defs: { tree: inner } })
  })

  test('parts that double at every step stay small', () => {
    const definitions = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => {
        const $ref = `#/definitions/p${n + 1}`
        return [`p${n}`, n === 39 ? { type: 'string' } : { anyOf: [{ $ref }, { $ref }] }]
      }),
    )
    const schema = { properties: { all: { $ref: '#/definitions/p0' } }, definitions }
    expect(JSON.stringify(inlineDefinitions(schema)).length).toBeLessThan(100_000)
  })

  test('a schema without such parts is itself, and a reference to nothing stays', () => {
    const plain = { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: city } }
    expect(inlineDefinitions(plain)).toBe(plain)
    const lost = { definitions: { city }, properties: { a: { $ref: '#/definitions/town' } } }
    expect(inlineDefinitions(lost)).toEqual({ properties: { a: { $ref: '#/definitions/town' } } })
  })
})
