/** Nothing of a request is dropped silently, at any depth. */
import { AppError } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeCompletionRequest, decodeMessagesRequest } from '../../src/index.ts'

type Decode = typeof decodeCompletionRequest | typeof decodeMessagesRequest

const chat = {
  model: 'claude-test',
  stream_options: { include_usage: true },
  metadata: { session_id: 's', server_tools: 'none' },
  tool_choice: { type: 'function', function: { name: 'f' } },
  tools: [{ type: 'function', function: { name: 'f', description: 'F', parameters: {}, strict: true } }],
  messages: [
    { role: 'system', content: [{ type: 'text', text: 's' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'image_url', image_url: { url: 'https://a/b.png' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'b' }],
      tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'x', content: [{ type: 'text', text: 'X' }] },
  ],
}

const messages = {
  model: 'claude-test',
  max_tokens: 100,
  metadata: { user_id: 'u', session_id: 's' },
  tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
  tools: [{ name: 'f', description: 'F', input_schema: { type: 'object' }, strict: true }],
  thread: { type: 'create' },
  system: [{ type: 'text', text: 's' }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        { type: 'document', title: 't', source: { type: 'text', media_type: 'text/plain', data: 'd' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'redacted_thinking', data: 'r' },
        { type: 'text', text: 'b' },
        { type: 'tool_use', id: 'x', name: 'f', input: { any: { thing: true } } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'x', content: [{ type: 'text', text: 'X' }] }],
    },
  ],
}

const WIRES: readonly (readonly [string, Decode, object])[] = [
  ['Chat Completions', decodeCompletionRequest, chat],
  ['Messages', decodeMessagesRequest, messages],
]

/** Places whose contents are passed on or kept as they are. */
const OPAQUE = /(^|\.)(parameters|input_schema|input)(\.|$)/

/** Every object inside, with the path to it. */
function objectsIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([name, one]) => objectsIn(one, [...path, name]))
  return Array.isArray(value) ? inner : [path, ...inner]
}

function withField(body: object, path: readonly string[], name: string): object {
  const copy = structuredClone(body)
  const place = path.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], copy)
  ;(place as Record<string, unknown>)[name] = 'something'
  return copy
}

function refusal(decode: Decode, body: unknown): string {
  try {
    decode(body, { strict: true })
    return ''
  } catch (error) {
    return AppError.is(error) ? error.message : String(error)
  }
}

describe.each(WIRES)('a request of %s', (_, decode, body) => {
  test('that is known field by field is taken as it is, also when strict', () => {
    expect(decode(body).warnings).toEqual([])
    expect(refusal(decode, body)).toBe('')
  })

  test('with an unknown field anywhere gets a warning with its path, and is rejected when strict', () => {
    const places = objectsIn(body).filter(path => !OPAQUE.test(path.join('.')))
    expect(places.length).toBeGreaterThan(12)
    for (const path of places) {
      const odd = withField(body, path, 'zz_new')
      const named = [...path, 'zz_new'].join('.')
      const told = decode(odd).warnings.map(warning => `${warning.code} ${warning.message}`)
      const isTool = path[0] === 'tools'
      expect(told, named).toContainEqual(
        expect.stringMatching(isTool ? /^field_ignored tools/ : new RegExp(`^field_ignored ${named}: `)),
      )
      expect(refusal(decode, odd), named).not.toBe('')
    }
  })

  test('with the same unknown field in every message gets one warning', () => {
    const long = {
      ...body,
      messages: Array.from({ length: 40 }, (_one, i) => ({ role: 'user', content: `m${i}`, mood: 'blue' })),
    }
    const { tool_choice: _choice, ...rest } = long as Record<string, unknown>
    const told = decode(rest).warnings.map(warning => warning.message)
    expect(told).toEqual([
      'messages.0.mood: this field is not known here; it is ignored. So are 39 more like it.',
    ])
  })

  test('with any number of unknown fields gets a bounded list', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.anything(), { maxKeys: 300 }), extra => {
        const names = Object.keys(body)
        const odd = Object.fromEntries(Object.entries(extra).filter(([name]) => !names.includes(name)))
        try {
          expect(decode({ ...odd, ...body }).warnings.length).toBeLessThanOrEqual(60)
        } catch (error) {
          expect(AppError.is(error)).toBe(true)
        }
      }),
      { numRuns: 50 },
    )
  })
})

test('what clients add when they send an answer back says nothing new', () => {
  const [system, user, , result] = chat.messages
  const echoed = {
    role: 'assistant',
    content: 'b',
    refusal: null,
    annotations: [],
    audio: null,
    parsed: null,
    tool_calls: [
      { index: 0, id: 'x', type: 'function', function: { name: 'f', arguments: '{}', parsed_arguments: {} } },
    ],
  }
  expect(decodeCompletionRequest({ ...chat, messages: [system, user, echoed, result] }).warnings).toEqual([])
  const call = { type: 'tool_use', id: 'x', name: 'f', input: {}, caller: { type: 'direct' } }
  const sent = [messages.messages[0], { role: 'assistant', content: [call] }, messages.messages[2]]
  expect(decodeMessagesRequest({ ...messages, messages: sent }).warnings).toEqual([])
})

test('the detail of an image, the citations of a document and the context of one are reported as ignored', () => {
  const picture = { type: 'image_url', image_url: { url: 'https://a/b.png', detail: 'high' } }
  const asked = (part: object) =>
    decodeCompletionRequest({ messages: [{ role: 'user', content: [part] }] }).warnings.map(
      one => one.message,
    )
  expect(asked(picture)).toEqual([expect.stringMatching(/^messages\.0\.content\.0\.image_url\.detail: /)])
  expect(asked({ ...picture, image_url: { ...picture.image_url, detail: 'auto' } })).toEqual([])
  const document = {
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: 'd' },
    context: 'c',
    citations: { enabled: true },
  }
  const { warnings } = decodeMessagesRequest({ messages: [{ role: 'user', content: [document] }] })
  expect(warnings.map(warning => warning.message.split(':')[0])).toEqual([
    'messages.0.content.0.context',
    'messages.0.content.0.citations',
  ])
})

test('omitted empty texts are reported, and never rejected', () => {
  const said = [
    { role: 'user', content: '  ' },
    { role: 'user', content: 'a' },
  ]
  for (const decode of [decodeCompletionRequest, decodeMessagesRequest])
    expect(decode({ messages: said }, { strict: true }).warnings).toEqual([
      { code: 'empty_text_dropped', message: 'messages.0: a text without any word in it is left out.' },
    ])
})

test('cache marks on the Chat Completions wire are reported as moved, and an hour stays an hour', () => {
  const content = [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } }]
  const request = decodeCompletionRequest({ messages: [{ role: 'user', content }] }, { strict: true })
  expect(request.warnings.map(warning => warning.code)).toEqual(['cache_marks_moved'])
  expect(request.options).toMatchObject({ cache_ttl: '1h' })
})

test('a forced tool beside thinking is refused by both names, or offered with a warning when the request prefers so', () => {
  const effort = { ...chat, reasoning_effort: 'high' }
  const thinking = { ...messages, thinking: { type: 'enabled', budget_tokens: 1024 } }
  expect(refusal(decodeCompletionRequest, effort)).toMatch(/^tool_choice: .*reasoning_effort/)
  expect(refusal(decodeMessagesRequest, thinking)).toMatch(/^tool_choice: .*thinking/)
  for (const request of [
    decodeCompletionRequest(effort, { downgrade: true }),
    decodeMessagesRequest(thinking, { downgrade: true }),
  ]) {
    expect(request.options['tool_choice']).toEqual({ type: 'auto' })
    expect(request.warnings.map(warning => warning.code)).toEqual(['tool_choice_downgraded'])
  }
  expect(decodeMessagesRequest(thinking, { downgrade: true }).options['parallel_tool_calls']).toBe(false)
  expect(() => decodeCompletionRequest(effort, { downgrade: true, strict: true })).toThrow(/tool_choice/)
})
