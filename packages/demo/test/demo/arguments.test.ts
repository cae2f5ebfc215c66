import { type Schema as JsonSchema, Validator } from '@cfworker/json-schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fillSchema } from '../../src/demo/input/fill-schema.ts'

type Schema = Record<string, unknown>

const bounds = (min: fc.Arbitrary<number>) =>
  fc.tuple(min, fc.nat({ max: 20 })).map(([low, width]) => ({ low, high: low + width }))
const leaf: fc.Arbitrary<Schema> = fc.oneof(
  fc
    .record({ low: fc.nat({ max: 8 }), width: fc.nat({ max: 20 }) })
    .map(({ low, width }) => ({ type: 'string', minLength: low, maxLength: low + width })),
  fc
    .constantFrom('date', 'date-time', 'time', 'email', 'uri', 'uuid', 'ipv4', 'hostname')
    .map(format => ({ type: 'string', format })),
  fc
    .constantFrom('^[A-Z]{3}$', '^\\d{4}-\\d{2}$', '^(?:on|off)$', '^v\\d+\\.\\d+$', '^[a-f0-9]{8}$')
    .map(pattern => ({ type: 'string', pattern })),
  bounds(fc.integer({ min: -50, max: 50 })).map(({ low, high }) => ({
    type: 'integer',
    minimum: low,
    maximum: high,
  })),
  bounds(fc.integer({ min: -50, max: 50 })).map(({ low, high }) => ({
    type: 'number',
    exclusiveMinimum: low,
    maximum: high + 0.5,
  })),
  fc.constantFrom(5, 0.5, 3).map(multipleOf => ({ type: 'number', multipleOf, minimum: 7 })),
  fc.constant({ type: 'boolean' }),
  fc.constant({ type: ['null', 'string'] }),
  fc
    .uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 })
    .map(values => ({ type: 'string', enum: values })),
  fc.constant({ enum: [1, 2, 'three'] }),
  fc.constant({ const: 'fixed' }),
  fc.constant({ anyOf: [{ type: 'null' }, { type: 'integer' }] }),
)

const { object } = fc.letrec<{ object: Schema; value: Schema }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    tie('object'),
    fc
      .record({ items: fc.oneof(leaf, tie('object')), low: fc.nat({ max: 3 }), width: fc.nat({ max: 3 }) })
      .map(({ items, low, width }) => ({ type: 'array', items, minItems: low, maxItems: low + width })),
    fc.constant({ type: 'array', items: { type: 'string' }, uniqueItems: true, minItems: 3 }),
  ),
  object: fc
    .dictionary(
      fc.constantFrom('city', 'value', 'path', 'query', 'count', 'is_on', 'items', 'name', 'to', 'unit'),
      fc.tuple(tie('value'), fc.boolean()),
      { maxKeys: 5 },
    )
    .map(fields => ({
      type: 'object',
      properties: Object.fromEntries(Object.entries(fields).map(([name, [schema]]) => [name, schema])),
      required: Object.keys(fields).filter(name => fields[name]?.[1]),
      additionalProperties: false,
    })),
}))

const said = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    'set the temperature to 0.8',
    '沈阳天气',
    'send "a", "b" and 3 items to bob@x.org',
    'path src/a.ts, count 99, value -7.25',
    'three off 2025-02-30',
    '',
  ),
)

describe('arguments from text', () => {
  it('satisfy any schema of the supported subset', () => {
    fc.assert(
      fc.property(object, said, (schema, text) => {
        const input = fillSchema(schema, text)
        const { valid, errors } = new Validator(schema as JsonSchema, '2020-12').validate(
          JSON.parse(JSON.stringify(input)),
        )
        expect(valid, `${JSON.stringify(input)} ${JSON.stringify(errors)}`).toBe(true)
      }),
      { numRuns: 1500 },
    )
  })

  const object1 = (properties: Schema, required = Object.keys(properties)) => ({
    type: 'object',
    properties,
    required,
  })

  it.each([
    [
      'count 3, ratio 0.5',
      object1({ ratio: { type: 'number' }, count: { type: 'integer' } }),
      { ratio: 0.5, count: 3 },
    ],
    ['turn notifications off', object1({ enabled: { type: 'boolean' } }), { enabled: false }],
    ['打开通知', object1({ enabled: { type: 'boolean' } }), { enabled: true }],
    [
      'add tags: red, green and blue',
      object1({ tags: { type: 'array', items: { type: 'string' } } }),
      { tags: ['red', 'green', 'blue'] },
    ],
    ['open src/a.ts', object1({ file_path: { type: 'string' } }), { file_path: 'src/a.ts' }],
    [
      'go to https://a.example/x?y=1',
      object1({ url: { type: 'string' } }),
      { url: 'https://a.example/x?y=1' },
    ],
    ['set volume to 300', object1({ level: { type: 'integer', maximum: 100 } }), { level: 100 }],
    ['weather in Paris', { type: 'object', properties: { city: { type: 'string' } } }, { city: 'Paris' }],
    ['move to 3 and 4', object1({ at: object1({ x: { type: 'number' } }) }), { at: { x: 3 } }],
    [
      'x',
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/N' } },
        required: ['a'],
        $defs: { N: { type: 'integer', minimum: 4 } },
      },
      { a: 4 },
    ],
  ])('%s', (text, schema, input) => {
    expect(fillSchema(schema, text)).toEqual(input)
  })

  it('end for a schema that refers to itself', () => {
    const node = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] }
    expect(JSON.stringify(fillSchema(node, 'x')).length).toBeLessThan(1000)
  })
})
