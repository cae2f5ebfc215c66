/** Requests in the words of Chat Completions. */
import type { HistoryMessage, ModelRequest } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { findCapability } from '../../src/capabilities.ts'
import { toChatRequest } from '../../src/openai-chat/request.ts'

const user = (text: string): HistoryMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const assistant = (
  content: Extract<HistoryMessage, { role: 'assistant' }>['content'],
  provider = 'openai',
): HistoryMessage => ({ role: 'assistant', message_id: 'm', provider, model: 'x', content })
const build = (messages: readonly HistoryMessage[], more: Partial<ModelRequest> = {}, isOfficial = true) =>
  toChatRequest(
    { model: 'gpt-5', messages, tools: [], ...more },
    { capability: findCapability('openai', 'gpt-5'), isOfficial },
  ).body

describe('messages', () => {
  it('put results as tool messages in call order, errors marked, then what the user said', () => {
    const tool = (call_id: string, output_text: string, is_error: boolean) =>
      ({ type: 'tool_result', call_id, name: 'x', output_text, content: [], is_error }) as const
    const calls = ['a', 'b'].map(
      call_id => ({ type: 'tool_use', call_id, name: 'x', input_text: '{"n": 1.0}' }) as const,
    )
    const body = build(
      [
        user('go'),
        assistant([{ type: 'text', text: 'sure' }, ...calls]),
        { role: 'tool', results: [tool('b', 'B', true), tool('a', '', false)] },
        user('next'),
      ],
      { system: 'be brief' },
    )
    expect(body.messages).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: 'sure',
        tool_calls: ['a', 'b'].map(id => ({
          id,
          type: 'function',
          function: { name: 'x', arguments: '{"n": 1.0}' },
        })),
      },
      { role: 'tool', tool_call_id: 'a', content: '(no output)' },
      { role: 'tool', tool_call_id: 'b', content: '[error] B' },
      { role: 'user', content: 'next' },
    ])
  })

  it('keep arguments as they were written, and quote what is no object', () => {
    const texts = ['{"b":1.0,"2":1,"1":1}', ' ', '{"a":', '[1]', 'null', '"x"']
    const calls = texts.map(
      (input_text, n) => ({ type: 'tool_use', call_id: `c${n}`, name: 'x', input_text }) as const,
    )
    const [, message] = build([user('a'), assistant(calls)]).messages
    const sent = message?.role === 'assistant' ? (message.tool_calls ?? []) : []
    expect(sent.map(call => call.function.arguments)).toEqual([
      texts[0],
      '{}',
      ...texts.slice(2).map(_raw => JSON.stringify({ _raw })),
    ])
  })

  it('leave a system message where it was said', () => {
    const body = build([user('a'), { role: 'system', content: [{ type: 'text', text: 's' }] }, user('b')])
    expect(body.messages.map(message => message.role)).toEqual(['user', 'system', 'user'])
  })

  it('send images, files and sound, and a tool’s image as the user’s', () => {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AA==' },
    } as const
    const audio = {
      type: 'audio',
      source: { type: 'base64', media_type: 'audio/mpeg', data: 'AA==' },
    } as const
    const file = {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' },
      title: 'a.pdf',
    } as const
    expect(build([{ role: 'user', content: [image, audio, file] }]).messages[0]?.content).toEqual([
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
    ])
    const body = build([
      user('look'),
      assistant([{ type: 'tool_use', call_id: 'a', name: 'shot', input_text: '{}' }]),
      {
        role: 'tool',
        results: [
          {
            type: 'tool_result',
            call_id: 'a',
            name: 'shot',
            output_text: 'done',
            content: [image],
            is_error: false,
          },
        ],
      },
    ])
    expect(body.messages.slice(2)).toMatchObject([
      { role: 'tool', content: expect.stringContaining('done') },
      { role: 'user', content: [{ type: 'text' }, { type: 'image_url' }] },
    ])
  })

  it('return a server’s own thinking beside its calls, and no other', () => {
    const content = [
      { type: 'thinking', thinking: 'hm' },
      { type: 'tool_use', call_id: 'a', name: 'x', input_text: '{}' },
    ] as const
    expect(build([user('a'), assistant(content)]).messages[1]).toMatchObject({
      reasoning_content: 'hm',
      content: null,
    })
    expect(build([user('a'), assistant(content, 'anthropic')]).messages[1]).not.toHaveProperty(
      'reasoning_content',
    )
  })
})

describe('settings', () => {
  it('name the token limit as the server knows it', () => {
    expect(build([user('a')], { max_tokens: 5 })).toMatchObject({ max_completion_tokens: 5 })
    expect(build([user('a')], { max_tokens: 5 }, false)).toMatchObject({ max_tokens: 5 })
  })

  it('ask for usage, pass the choice of tools, and drop sampling that the model refuses', () => {
    const tools = [{ name: 't', input_schema: {} }]
    const body = build([user('a')], {
      tools,
      tool_choice: { type: 'any' },
      parallel_tool_calls: false,
      options: { temperature: 0.1, seed: 4 },
    })
    expect(body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
      tool_choice: 'required',
      parallel_tool_calls: false,
      seed: 4,
      tools: [{ type: 'function', function: { name: 't', parameters: { type: 'object', properties: {} } } }],
    })
    expect(body).not.toHaveProperty('temperature')
  })
})
