import { describe, expect, test } from 'vitest'
import {
  formFields,
  initialValues,
  schemaLike,
  toInput,
  toValues,
  typeWords,
} from '../../src/view/parts/index.ts'

const SCHEMA = {
  type: 'object',
  required: ['path', 'mode'],
  properties: {
    limit: { type: 'integer', description: 'At most this many', default: 5 },
    path: { type: 'string' },
    mode: { enum: ['fast', 'slow'] },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'May be left out' },
    deep: { type: 'object', properties: { a: { type: 'number' } } },
    sure: { type: ['boolean', 'null'] },
  },
} as const
const fields = formFields(SCHEMA)

describe('a form for a schema', () => {
  test('asks for what is required first, and for a value that may be null as for the value', () => {
    expect(fields.map(field => `${field.name}:${field.kind}`)).toEqual([
      'path:text',
      'mode:choice',
      'limit:number',
      'note:text',
      'deep:json',
      'sure:boolean',
    ])
    expect(fields.find(field => field.name === 'note')?.description).toBe('May be left out')
  })

  test('sends values of the right types and omits empty ones', () => {
    const values = { ...initialValues(fields), path: '7', mode: '"slow"', deep: '{"a":1}', sure: 'false' }
    const made = toInput(fields, values)
    expect(made.problems).toEqual({})
    expect(made.input).toEqual({ path: '7', mode: 'slow', limit: 5, deep: { a: 1 }, sure: false })
    expect(toValues(fields, made.input)).toEqual(values)
  })

  test('says what is missing and what cannot be read', () => {
    const { problems } = toInput(fields, { limit: '1.5', deep: '{', sure: 'maybe' })
    expect(problems).toEqual({
      path: 'required',
      mode: 'required',
      limit: 'number',
      deep: 'json',
      sure: 'json',
    })
  })

  test('survives schemas that make no sense', () => {
    expect(formFields({})).toEqual([])
    expect(formFields({ properties: [] })).toEqual([])
    expect(formFields({ properties: { x: 7, y: null }, required: 'x' }).map(field => field.kind)).toEqual([
      'json',
      'json',
    ])
    expect(toValues(fields, [1])).toBeUndefined()
    expect(typeWords({ type: 'array', items: { anyOf: [{ type: 'string' }, { enum: [1] }] } })).toBe(
      'string | 1[]',
    )
  })

  test('begins with given arguments and keeps those that it does not ask for', () => {
    const given = { path: 'a', mode: 'fast', extra: [1] }
    const values = initialValues(fields, given)
    expect(values).toEqual({ path: 'a', mode: '"fast"' })
    expect(toInput(fields, { ...values, path: 'b' }, given).input).toEqual({
      path: 'b',
      mode: 'fast',
      extra: [1],
    })
  })

  test('is made from the arguments themselves where there is no schema', () => {
    const given = { command: 'ls', timeout: 5, deep: { a: 1 }, sure: true, list: [] }
    const own = formFields(schemaLike(given))
    expect(own.map(field => field.kind)).toEqual(['text', 'number', 'json', 'boolean', 'json'])
    expect(toInput(own, initialValues(own, given), given)).toEqual({ input: given, problems: {} })
    expect(formFields(schemaLike('text'))).toEqual([])
  })

  test('names choices as the schema does', () => {
    const [size, way, old] = formFields({
      properties: {
        size: { title: 'Size', oneOf: [{ const: 's', title: 'Small' }, { const: 'l' }] },
        way: { enum: ['a', 2] },
        old: { type: 'string', enum: ['x', 'y'], enumNames: ['Ex', 'Why'] },
      },
    })
    expect(size).toMatchObject({ name: 'size', title: 'Size', kind: 'choice' })
    expect(size?.options).toEqual([
      { value: '"s"', label: 'Small' },
      { value: '"l"', label: 'l' },
    ])
    expect(way?.options.map(option => option.label)).toEqual(['a', '2'])
    expect(old?.options.map(option => option.label)).toEqual(['Ex', 'Why'])
  })
})
