import { describe, expect, test } from 'vitest'
import { formFields, typeWords } from '../src/schema-form/form-fields.ts'
import { initialValues, toInput, toValues } from '../src/schema-form/form-input.ts'

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

  test('sends values of their own types and leaves out what is empty', () => {
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
})
