/** Tools with names that no provider takes: the error names the tool, in every dialect. */
import { describe, expect, test } from 'vitest'
import { decodeCompletionRequest, decodeMessagesRequest, decodeResponsesRequest } from '../../src/index.ts'

const messages = [{ role: 'user', content: 'x' }]
const parameters = { type: 'object' }
type Decode = (names: readonly unknown[]) => unknown

const DIALECTS: readonly (readonly [string, string, Decode])[] = [
  [
    'tools of Chat Completions',
    'tools.1.function.name',
    names =>
      decodeCompletionRequest({
        messages,
        tools: names.map(name => ({ type: 'function', function: { name, parameters } })),
      }),
  ],
  [
    'functions of Chat Completions',
    'functions.1.name',
    names => decodeCompletionRequest({ messages, functions: names.map(name => ({ name, parameters })) }),
  ],
  [
    'tools of Messages',
    'tools.1.name',
    names =>
      decodeMessagesRequest({
        messages,
        max_tokens: 9,
        tools: names.map(name => ({ name, input_schema: parameters })),
      }),
  ],
]

/** These requests repeat a tool: the first declaration is used. */
const REPEATING: typeof DIALECTS = [
  [
    'tools of Responses',
    'tools.1.name',
    names =>
      decodeResponsesRequest({
        input: 'x',
        tools: names.map(name => ({ type: 'function', name, parameters })),
      }),
  ],
  [
    'freeform tools of Responses',
    'tools.1.name',
    names => decodeResponsesRequest({ input: 'x', tools: names.map(name => ({ type: 'custom', name })) }),
  ],
]

describe.each([...DIALECTS, ...REPEATING])('%s', (_, place, decode) => {
  test.each(['my tool', '', 'é', 'a\nb', 'a/b'])('name the illegal name %j', name => {
    expect(() => decode(['fine', name])).toThrow(`${place}: ${JSON.stringify(name)} is not a tool name`)
  })

  test('quote the beginning of a name that is too long', () => {
    const long = 'a'.repeat(100_000)
    expect(() => decode(['fine', long])).toThrow(new RegExp(`"${'a'.repeat(200)}" is not a tool name`))
  })

  test('say where a name is missing or of another type', () => {
    for (const name of [undefined, 5, null]) expect(() => decode(['fine', name])).toThrow(`${place}: `)
  })
})

test.each(DIALECTS)('%s name the tool that comes twice', (_, __, decode) => {
  expect(() => decode(['fine', 'twice', 'other', 'twice'])).toThrow('two tools have the name "twice"')
})
