/** Requests in the words of the Responses API. */
import type { HistoryMessage, ModelRequest } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { findCapability } from '../../src/capabilities.ts'
import { toResponsesRequest, withoutReasoning } from '../../src/openai-responses/request.ts'

const OWN = 'openai:openai-responses'
const user = (text: string): HistoryMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const assistant = (
  content: Extract<HistoryMessage, { role: 'assistant' }>['content'],
  provider = OWN,
): HistoryMessage => ({ role: 'assistant', message_id: 'm', provider, model: 'gpt-5.5', content })
const build = (messages: readonly HistoryMessage[], more: Partial<ModelRequest> = {}, isOfficial = true) =>
  toResponsesRequest(
    { model: 'gpt-5.5', messages, tools: [], ...more },
    { capability: findCapability('openai', 'gpt-5.5'), isOfficial, provider: OWN, webSearch: isOfficial },
  )
const reasoning = (id: string, encrypted_content: string | undefined, model = 'gpt-5.5', provider = OWN) =>
  ({
    type: 'thinking',
    thinking: 'hm',
    opaque: {
      provider,
      model,
      data: { type: 'reasoning', id, summary: [], ...(encrypted_content ? { encrypted_content } : {}) },
    },
  }) as const
const call = (call_id: string, name = 'read', input_text = '{"n": 1.0}') =>
  ({ type: 'tool_use', call_id, name, input_text }) as const
const result = (call_id: string, output_text: string, more: object = {}) =>
  ({
    type: 'tool_result',
    call_id,
    name: 'read',
    output_text,
    content: [],
    is_error: false,
    ...more,
  }) as const
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } } as const

describe('the whole body', () => {
  it('of a tool round trip with reasoning', () => {
    const phase = { provider: OWN, data: { phase: 'commentary' } }
    const { body } = build(
      [
        { role: 'system', content: [{ type: 'text', text: 'second' }] },
        user('go'),
        assistant([
          reasoning('rs_1', 'enc'),
          { type: 'text', text: 'I look.', opaque: phase },
          call('a'),
          call('b'),
        ]),
        {
          role: 'tool',
          results: [result('b', 'B', { is_error: true }), result('a', 'A', { content: [image] })],
        },
        { role: 'system', content: [{ type: 'text', text: 'later' }] },
        user('next'),
      ],
      {
        system: 'first',
        tools: [{ name: 'read', description: 'Reads.', input_schema: { type: 'object', properties: {} } }],
        tool_choice: { type: 'tool', name: 'read' },
        max_tokens: 3,
        options: {
          effort: 'high',
          verbosity: 'low',
          prompt_cache_options: { ttl: '12h' },
          response_format: { type: 'json_object' },
          seed: 1,
        },
      },
    )
    expect(body).toEqual({
      prompt_cache_key: expect.stringMatching(/^[0-9a-f]{32}$/),
      prompt_cache_options: { ttl: '12h' },
      reasoning: { effort: 'high', summary: 'auto' },
      text: { format: { type: 'json_object' }, verbosity: 'low' },
      model: 'gpt-5.5',
      instructions: 'first',
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'second' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'enc' },
        {
          type: 'message',
          role: 'assistant',
          phase: 'commentary',
          content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
        },
        { type: 'function_call', call_id: 'a', name: 'read', arguments: '{"n": 1.0}' },
        { type: 'function_call', call_id: 'b', name: 'read', arguments: '{"n": 1.0}' },
        {
          type: 'function_call_output',
          call_id: 'a',
          output: [
            { type: 'input_text', text: 'A' },
            { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'auto' },
          ],
        },
        { type: 'function_call_output', call_id: 'b', output: '[error] B' },
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'later' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'next' }] },
      ],
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      tools: [
        {
          type: 'function',
          name: 'read',
          description: 'Reads.',
          parameters: { type: 'object', properties: {} },
          strict: false,
        },
      ],
      tool_choice: { type: 'function', name: 'read' },
      parallel_tool_calls: true,
      max_output_tokens: 16,
    })
  })

  it('names the settings that this API does not have', () => {
    const { warnings } = build([user('go')], { options: { seed: 1, stop: ['x'], temperature: 0.2 } })
    expect(warnings.map(warning => warning.message.split(':')[0])).toEqual(['temperature', 'stop', 'seed'])
  })

  it('has the same cache key in every turn and in a fork, and another for another conversation', () => {
    const key = (messages: readonly HistoryMessage[]) => build(messages).body['prompt_cache_key']
    expect(key([user('a'), assistant([{ type: 'text', text: 'b' }]), user('c')])).toBe(key([user('a')]))
    expect(key([user('b')])).not.toBe(key([user('a')]))
  })
})

describe('reasoning', () => {
  const items = (content: Parameters<typeof assistant>[0], isOfficial = true) =>
    build([user('go'), assistant(content), user('next')], {}, isOfficial)
      .body.input.slice(1, -1)
      .map(item => item.type)

  it.for([
    ['of another model', reasoning('rs', 'enc', 'gpt-5')],
    ['of another provider', reasoning('rs', 'enc', 'gpt-5.5', 'azure:openai-responses')],
    ['that is not encrypted', reasoning('rs', undefined)],
    ['of another API', { type: 'thinking', thinking: 'hm', signature: 'c2ln' } as const],
  ] as const)('%s stays out', ([, part]) => {
    expect(items([part, { type: 'text', text: 'x' }])).toEqual(['message'])
  })

  it('without the item that it led to stays out', () => {
    expect(items([{ type: 'text', text: 'x' }, reasoning('rs', 'enc')])).toEqual(['message'])
    expect(items([{ type: 'text', text: 'x' }, reasoning('rs', 'enc'), { type: 'text', text: ' ' }])).toEqual(
      ['message'],
    )
  })

  it('in the clear goes back to a server that is not OpenAI, and empty reasoning does not', () => {
    const data = {
      type: 'reasoning',
      id: 'rs',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'hm' }],
    }
    const clear = { type: 'thinking', thinking: 'hm', opaque: { provider: OWN, data } } as const
    expect(items([clear, { type: 'text', text: 'x' }], false)).toEqual(['reasoning', 'message'])
    expect(items([reasoning('rs', undefined), { type: 'text', text: 'x' }], false)).toEqual(['message'])
  })

  it('can be left out of a body as a whole', () => {
    const { body } = build([user('go'), assistant([reasoning('rs', 'enc'), { type: 'text', text: 'x' }])])
    expect(withoutReasoning(body).input.map(item => item.type)).toEqual(['message', 'message'])
  })
})

describe('tools', () => {
  it('of plain text are custom tools with their grammar, and so are their calls and outputs', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' }
    const { body } = build(
      [
        user('go'),
        assistant([call('a', 'patch', '{"input":"*** Begin\\n"}'), call('b', 'patch', 'no json')]),
        { role: 'tool', results: [result('a', 'ok'), result('b', 'ok')] },
      ],
      { tools: [{ name: 'patch', description: 'd', input_schema: {}, freeform: { format } }] },
    )
    expect(body.tools).toEqual([{ type: 'custom', name: 'patch', description: 'd', format }])
    expect(body.input.slice(1)).toEqual([
      { type: 'custom_tool_call', call_id: 'a', name: 'patch', input: '*** Begin\n' },
      { type: 'custom_tool_call', call_id: 'b', name: 'patch', input: 'no json' },
      { type: 'custom_tool_call_output', call_id: 'a', output: 'ok' },
      { type: 'custom_tool_call_output', call_id: 'b', output: 'ok' },
    ])
  })

  it('that the provider runs are passed on, and their items go back to it alone', () => {
    const data = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } }
    const search = { type: 'provider', kind: 'provider_tool_use', data } as const
    const tool = { type: 'web_search' }
    const options = { hosted_search: { declared: { api: 'openai-responses', tool } } }
    const { body } = build([user('go'), assistant([search, { type: 'text', text: 'x' }])], { options })
    expect(body.tools).toEqual([{ type: 'web_search' }])
    expect(body.include).toContain('web_search_call.action.sources')
    expect(body.input[1]).toEqual(data)
    const other = build([user('go'), assistant([search, { type: 'text', text: 'x' }], 'anthropic')])
    expect(other.body.input.map(item => item.type)).toEqual(['message', 'message'])
  })
})

it('items that a client brought itself go to any provider of this API', () => {
  const data = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'AA==' }
  const item = { type: 'provider', kind: 'provider_tool_result', data } as const
  const brought = assistant([item, { type: 'text', text: 'x' }], 'openai')
  expect(build([user('go'), brought, user('next')]).body.input[1]).toEqual(data)
})

describe('the effort of a run', () => {
  const tools = [{ name: 'read', input_schema: { type: 'object' } }]
  const levelOf = (more: Partial<ModelRequest>) => build([user('go')], { tools, ...more }).body['reasoning']

  it('is sent beside tools, at the nearest level that the model has', () => {
    expect(levelOf({ effort: 'auto' })).toEqual({ effort: 'medium', summary: 'auto' })
    expect(levelOf({ effort: 'max' })).toEqual({ effort: 'xhigh', summary: 'auto' })
  })

  it('gives way to an effort in the options', () => {
    expect(levelOf({ effort: 'max', options: { reasoning: { effort: 'low' } } })).toMatchObject({
      effort: 'low',
    })
    expect(levelOf({})).toEqual({ summary: 'auto' })
  })
})
