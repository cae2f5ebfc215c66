/** One history of three providers: each of them gets back the opaque data that it sent, and none of the others'. */
import type { AssistantPart, HistoryMessage, ModelRequest } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { createModelFinder } from '../../src/finder.ts'
import type { ProviderEntry } from '../../src/providers/provider-entry.ts'
import { createKeyPool } from '../../src/shared/key-pool.ts'
import { collect, request } from '../collect.ts'
import { scriptedModel } from '../scripted-model.ts'

const keys = createKeyPool(['k'])
const list: readonly ProviderEntry[] = [
  { name: 'claude', api: 'anthropic', keys, baseUrl: 'http://claude.invalid' },
  { name: 'gpt', api: 'openai-responses', keys, baseUrl: 'http://gpt.invalid/v1' },
  { name: 'gemini', api: 'openai-chat', keys, baseUrl: 'http://gemini.invalid/v1' },
  { name: 'twin', api: 'openai-chat', keys, baseUrl: 'http://gemini.invalid/v1' },
]

const call = (call_id: string, opaque?: AssistantPart['opaque']): AssistantPart => ({
  type: 'tool_use',
  call_id,
  name: 'read',
  input_text: '{}',
  ...(opaque ? { opaque } : {}),
})

function turn(
  provider: string,
  call_id: string,
  content: readonly AssistantPart[],
): readonly HistoryMessage[] {
  return [
    { role: 'user', content: [{ type: 'text', text: `for ${provider}` }] },
    { role: 'assistant', message_id: `m_${call_id}`, provider, model: 'm', content },
    {
      role: 'tool',
      results: [
        {
          type: 'tool_result',
          call_id,
          name: 'read',
          output_text: `result ${call_id}`,
          content: [],
          is_error: false,
        },
      ],
    },
  ]
}

const HISTORY: readonly HistoryMessage[] = [
  ...turn('claude:anthropic', 'c1', [
    { type: 'thinking', thinking: 'claude thinks', signature: 'SIGNED-BY-CLAUDE' },
    call('c1'),
  ]),
  ...turn('gpt:openai-responses', 'g1', [
    {
      type: 'thinking',
      thinking: 'gpt thinks',
      opaque: {
        provider: 'gpt:openai-responses',
        model: 'm',
        data: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'ENCRYPTED-BY-GPT' },
      },
    },
    call('g1'),
  ]),
  ...turn('gemini:openai-chat', 'x1', [
    call('x1', {
      provider: 'gemini:openai-chat',
      model: 'm',
      data: { extra_content: { google: { thought_signature: 'SIGNED-BY-GEMINI' } } },
    }),
  ]),
  { role: 'user', content: [{ type: 'text', text: 'next' }] },
]

async function bodyFor(id: string): Promise<string> {
  let body = ''
  const fetch: typeof globalThis.fetch = async (_, init) => {
    body = String(init?.body)
    return new Response('{}', { status: 400 })
  }
  const model = createModelFinder({ demo: scriptedModel(), providers: () => list, fetch })(id)
  const asked: ModelRequest = request('', { messages: HISTORY })
  await collect(model, asked)
  return body
}

const SECRETS = ['SIGNED-BY-CLAUDE', 'ENCRYPTED-BY-GPT', 'SIGNED-BY-GEMINI'] as const

describe.for([
  ['claude/m', 'SIGNED-BY-CLAUDE'],
  ['gpt/m', 'ENCRYPTED-BY-GPT'],
  ['gemini/m', 'SIGNED-BY-GEMINI'],
  ['twin/m', undefined],
  ['gemini/other', undefined],
] as const)('%s', ([id, own]) => {
  it(`gets ${own ?? 'no opaque data'}, and all calls and results`, async () => {
    const body = await bodyFor(id)
    expect(SECRETS.filter(secret => body.includes(secret))).toEqual(own === undefined ? [] : [own])
    for (const call_id of ['c1', 'g1', 'x1']) expect(body).toContain(`result ${call_id}`)
  })
})
