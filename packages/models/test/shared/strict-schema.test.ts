/** Schemas that a provider holds a model to, compared with what the vendor's own client makes of them. */
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toAnthropicRequest } from '../../src/anthropic/request.ts'
import { toStrictSchema } from '../../src/shared/strict-schema.ts'
import { request } from '../collect.ts'

type Schema = Record<string, unknown>
const { schema } = fc.letrec<{ schema: Schema }>(tie => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record(
      {
        type: fc.constant('string'),
        minLength: fc.nat(9),
        format: fc.constantFrom('date', 'uuid', 'regex', 'ipv4'),
        description: fc.string(),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: fc.constantFrom('number', 'integer', 'boolean', 'null'), minimum: fc.nat() },
      { requiredKeys: ['type'] },
    ),
    fc.record({
      enum: fc.array(fc.oneof(fc.string(), fc.nat()), { minLength: 1 }),
      type: fc.constant('string'),
    }),
    fc.record({ const: fc.oneof(fc.string(), fc.boolean()) }),
    fc.record({ $ref: fc.constant('#/$defs/a') }),
    fc.record(
      { type: fc.constant('array'), items: tie('schema'), maxItems: fc.nat(3), minItems: fc.nat(3) },
      { requiredKeys: ['type', 'items'] },
    ),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), tie('schema'), { maxKeys: 3 }),
        required: fc.array(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 2 }),
        additionalProperties: fc.constant(false),
        title: fc.string(),
        $defs: fc.record({ a: fc.constant({ type: 'string', pattern: 'x' }) }),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }), description: fc.string() }),
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
  ) as fc.Arbitrary<Schema>,
}))

describe('a strict schema', () => {
  it('is the one that the vendor’s client would send', () => {
    fc.assert(
      fc.property(schema, given => {
        expect(toStrictSchema(given)).toEqual(transformJSONSchema(given as never))
      }),
      { numRuns: 300 },
    )
  })

  it('leaves what it was made of alone, and making it again changes nothing but words', () => {
    const given = { type: 'object', properties: { a: { type: 'string', minLength: 2 } } }
    const before = structuredClone(given)
    expect(toStrictSchema(given)).toEqual({
      type: 'object',
      properties: { a: { type: 'string', description: '{minLength: 2}' } },
      additionalProperties: false,
    })
    expect(given).toEqual(before)
  })

  it('does not exist where the provider could not enforce it', () => {
    expect(toStrictSchema({})).toBeUndefined()
    expect(toStrictSchema({ type: ['string', 'null'] })).toBeUndefined()
    expect(toStrictSchema({ type: 'object', additionalProperties: { type: 'string' } })).toBeUndefined()
  })
})

describe('a strict tool of a Messages request', () => {
  const tool = (input_schema: Schema) => ({ name: 'f', input_schema, strict: true })
  const sent = (input_schema: Schema) =>
    toAnthropicRequest(request('x', { tools: [tool(input_schema)] }), undefined)

  it('is strict with its schema in the provider’s words', () => {
    const { body, warnings } = sent({
      type: 'object',
      properties: { a: { type: 'string', format: 'regex' } },
    })
    expect(body.tools).toMatchObject([
      {
        strict: true,
        input_schema: {
          additionalProperties: false,
          properties: { a: { type: 'string', description: '{format: "regex"}' } },
        },
      },
    ])
    expect(warnings).toEqual([])
  })

  it('that cannot be strict is sent unchanged, with a warning', () => {
    const open = { type: 'object', properties: {}, additionalProperties: true }
    const { body, warnings } = sent(open)
    expect(body.tools).toEqual([expect.not.objectContaining({ strict: true })])
    expect(body.tools?.[0]).toMatchObject({ input_schema: open })
    expect(warnings.map(warning => warning.code)).toEqual(['strict_ignored'])
  })

  it('gives the form of an answer the same treatment', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } }
    const response_format = { type: 'json_schema', json_schema: { name: 'n', schema } }
    const { body } = toAnthropicRequest(request('x', { options: { response_format } }), undefined)
    expect(body.output_config).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { n: { type: 'integer', description: '{minimum: 1}' } },
          additionalProperties: false,
        },
      },
    })
  })
})
