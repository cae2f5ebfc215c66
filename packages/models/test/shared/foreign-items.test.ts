/** Calls that another provider ran reach a model as text. */
import type { HistoryMessage } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { toAnthropicRequest } from '../../src/anthropic/request.ts'
import { toChatRequest } from '../../src/openai-chat/request.ts'

const ITEMS = [
  [
    { type: 'mcp_call', name: 'lookup', arguments: '{"a":1}', output: 'found' },
    ['lookup', '{"a":1}', 'found'],
  ],
  [{ type: 'mcp_call', name: 'lookup', arguments: '{}', error: 'denied' }, ['lookup', 'denied']],
  [
    {
      type: 'code_interpreter_call',
      code: 'print(1)',
      outputs: [{ type: 'logs', logs: 'one' }, { type: 'image' }],
    },
    ['print(1)', 'one'],
  ],
  [
    { type: 'file_search_call', queries: ['tides', 7], results: [{ filename: 'a', text: 'high' }, null] },
    ['tides', 'high'],
  ],
] as const

const history = (data: object): readonly HistoryMessage[] => [
  { role: 'user', content: [{ type: 'text', text: 'go' }] },
  {
    role: 'assistant',
    message_id: 'm',
    provider: 'openai',
    model: 'm',
    content: [
      { type: 'provider', kind: 'provider_tool_result', data },
      { type: 'text', text: 'done' },
    ],
  },
  { role: 'user', content: [{ type: 'text', text: 'next' }] },
]

const BODIES = {
  messages: (messages: readonly HistoryMessage[]) =>
    toAnthropicRequest({ model: 'm', messages, tools: [] }, undefined).body.messages,
  chat: (messages: readonly HistoryMessage[]) =>
    toChatRequest({ model: 'm', messages, tools: [] }, { capability: undefined, isOfficial: false }).body
      .messages,
}

describe.for(Object.entries(BODIES))('over %s', ([, bodyOf]) => {
  it.for(ITEMS)('%j is text', ([item, expected]) => {
    const body = JSON.stringify(bodyOf(history(item)))
    for (const text of expected) expect(body).toContain(JSON.stringify(text).slice(1, -1))
    expect(body).toContain('done')
  })

  it.for([
    { type: 'web_search_call', id: 'ws_1' },
    { type: 'image_generation_call', result: 'AA==' },
    7,
    null,
  ])('%j says nothing by itself', item => {
    expect(bodyOf(history(item as object))).toEqual(bodyOf(history({})))
  })

  it('a long one is cut', () => {
    const item = { type: 'code_interpreter_call', code: 'x'.repeat(1_000_000) }
    expect(JSON.stringify(bodyOf(history(item))).length).toBeLessThan(25_000)
  })
})
