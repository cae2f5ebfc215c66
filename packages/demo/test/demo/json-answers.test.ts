import { type Schema, Validator } from '@cfworker/json-schema'
import type { ModelRequest } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { ask, named, read, user } from './demo-harness.ts'

const text = { type: 'string' }
const object = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const SCHEMAS: Readonly<Record<string, Record<string, unknown>>> = {
  answer: object({ answer: text, confidence: { type: 'number', minimum: 0, maximum: 1 } }),
  list: object({
    steps: { type: 'array', minItems: 2, items: object({ title: text, done: { type: 'boolean' } }) },
  }),
  array: { type: 'array', items: { type: 'integer', multipleOf: 5 }, minItems: 3, uniqueItems: true },
  choice: object({ mood: { type: 'string', enum: ['calm', 'angry'] }, kind: { const: 'mood' } }),
  nullable: object({
    city: { type: ['string', 'null'] },
    zip: { anyOf: [{ type: 'null' }, { type: 'string', pattern: '^\\d{5}$' }] },
  }),
  formats: object({
    when: { type: 'string', format: 'date-time' },
    mail: { type: 'string', format: 'email' },
  }),
  short: object({ summary: { type: 'string', maxLength: 10 }, text: { type: 'string', minLength: 2_000 } }),
  tree: {
    $defs: { node: object({ name: text, children: { type: 'array', items: { $ref: '#/$defs/node' } } }) },
    $ref: '#/$defs/node',
  },
  named: {
    $defs: { rest: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
    ...object({ kind: { type: ['string', 'null'], enum: ['a', 'b'] }, rest: { $ref: '#/$defs/rest' } }),
  },
  chain: object({ value: { type: 'integer' }, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }),
}

/** Every way in which a request can ask for a schema. */
const FORMS: Readonly<Record<string, (schema: unknown) => ModelRequest['options']>> = {
  response_format: schema => ({
    response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
  }),
  output_config: schema => ({ output_config: { format: { type: 'json_schema', schema } } }),
  output_format: schema => ({ output_format: { type: 'json_schema', schema } }),
  'text.format': schema => ({ text: { format: { type: 'json_schema', name: 'answer', schema } } }),
}

describe.each(Object.entries(FORMS))('a schema in %s', (_, form) => {
  it.each(Object.entries(SCHEMAS))('%s is satisfied by the answer', async (__, schema) => {
    for (const said of ['hello', '沈阳天气', 'How is the mood: calm or angry? 12345', '']) {
      const { text: answer, calls, stop_reason } = await read(ask(said, { tools: [], options: form(schema) }))
      const { valid, errors } = new Validator(schema as Schema, '2020-12').validate(JSON.parse(answer))
      expect(valid, JSON.stringify([answer, errors])).toBe(true)
      expect([calls, stop_reason]).toEqual([[], 'end_turn'])
    }
  })
})

describe('an answer in JSON', () => {
  const options = FORMS['response_format']?.(SCHEMAS['answer'])

  it('is an object with the words when no schema is given', async () => {
    const words = (await read(ask('hello'))).text
    const { text: answer } = await read(
      ask('hello', { options: { response_format: { type: 'json_object' } } }),
    )
    expect(JSON.parse(answer)).toEqual({ answer: words })
  })

  it('holds the words in a field for them', async () => {
    const words = (await read(ask('hello'))).text
    expect(JSON.parse((await read(ask('hello', { options }))).text)).toMatchObject({ answer: words })
  })

  it('comes after the calls, which have no words beside them', async () => {
    const asked = ask('read README.md', { tools: named('Read'), options })
    const first = await read(asked)
    expect([first.text, first.calls.map(call => call.name)]).toEqual(['', ['Read']])
    const call_id = first.calls[0]?.id ?? ''
    const messages: ModelRequest['messages'] = [
      user('read README.md'),
      {
        role: 'assistant',
        message_id: 'm',
        provider: 'demo',
        model: 'demo',
        content: [{ type: 'tool_use', call_id, name: 'Read', input_text: '{"file_path":"README.md"}' }],
      },
      {
        role: 'tool',
        results: [
          {
            type: 'tool_result',
            call_id,
            name: 'Read',
            output_text: '     1\t# Title',
            content: [],
            is_error: false,
          },
        ],
      },
    ]
    const { answer } = JSON.parse((await read({ ...asked, messages })).text) as { readonly answer: string }
    expect(answer).toContain('# Title')
  })

  it('follows the thinking when both are asked for', async () => {
    const both = { ...options, thinking: { type: 'enabled', budget_tokens: 2048 } }
    const { text: answer, thinking } = await read(ask('hello', { options: both }))
    expect(thinking).not.toBe('')
    expect(JSON.parse(answer)).toHaveProperty('confidence')
  })

  it('is cut by the output limit as any answer is', async () => {
    const cut = await read(ask('hello', { options, max_tokens: 3 }))
    expect(cut.stop_reason).toBe('max_tokens')
  })

  it('is not given for other formats or for a refusal', async () => {
    const words = (await read(ask('hello'))).text
    for (const response_format of [{ type: 'text' }, { type: 'grammar' }, 'json_object', null, []])
      expect((await read(ask('hello', { options: { response_format } }))).text).toBe(words)
    expect((await read(ask('/refuse', { options }))).text).toBe((await read(ask('/refuse'))).text)
  })
})
