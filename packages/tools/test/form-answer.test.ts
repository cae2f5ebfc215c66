import { describe, expect, test } from 'vitest'
import { readFormAnswer } from '../src/questions/form-answer.ts'

const form = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
})
const approved = (text?: string) =>
  ({ decision: 'approved', ...(text === undefined ? {} : { text }) }) as const

describe('the answer to a form', () => {
  test('is its fields, with defaults for what was left out', () => {
    const schema = form({ name: { type: 'string' }, guests: { type: 'integer', default: 2 } }, ['name'])
    expect(readFormAnswer(schema, approved('{"name":"Ada"}'))).toEqual({
      ok: true,
      answer: { action: 'accept', content: { name: 'Ada', guests: 2 } },
    })
    expect(readFormAnswer(schema, approved())).toMatchObject({ ok: false })
    expect(readFormAnswer(schema, approved('{"name":5}'))).toMatchObject({ ok: false })
  })

  test.each([
    ['string', '17', '17'],
    ['integer', '17', 17],
    ['boolean', 'true', true],
    ['array', 'red', ['red']],
  ])('may be a bare value when there is one field of type %s', (type, text, value) => {
    const read = readFormAnswer(form({ one: { type } }, ['one']), approved(text))
    expect(read).toEqual({ ok: true, answer: { action: 'accept', content: { one: value } } })
  })

  test('cannot be a bare value when there are several', () => {
    const schema = form({ a: { type: 'string' }, b: { type: 'string' } })
    expect(readFormAnswer(schema, approved('hello'))).toMatchObject({ ok: false })
    expect(readFormAnswer(schema, approved('[1]'))).toMatchObject({ ok: false })
  })

  test('is a denial when the user denied, and absent without an answer', () => {
    expect(readFormAnswer(form({}), { decision: 'denied' })).toEqual({
      ok: true,
      answer: { action: 'decline' },
    })
    for (const decision of ['cancelled', 'expired'] as const)
      expect(readFormAnswer(form({}), { decision })).toEqual({ ok: true, answer: { action: 'cancel' } })
  })

  test('needs no fields where there is no form', () => {
    expect(readFormAnswer(undefined, approved('whatever'))).toEqual({
      ok: true,
      answer: { action: 'accept' },
    })
  })
})
