/** No setting is dropped silently: every change that a model needs is reported with its message. */
import { startFakeUpstream } from '@toolwire/demo'
import { describe, expect, it } from 'vitest'
import { toAnthropicRequest } from '../../src/anthropic/request.ts'
import { findCapability } from '../../src/capabilities.ts'
import { createAnthropicModel, createOpenAiChatModel } from '../../src/index.ts'
import { toChatRequest } from '../../src/openai-chat/request.ts'
import { collect, request } from '../collect.ts'

const anthropic = (model: string, options: Record<string, unknown>, more = {}) =>
  toAnthropicRequest(
    request('hello', { model, options, ...more }),
    findCapability('anthropic', model),
  ).warnings.map(one => [one.code, one.message.split(':')[0]])

const openai = (model: string, options: Record<string, unknown>) =>
  toChatRequest(request('hello', { model, options }), {
    capability: findCapability('openai', model),
    isOfficial: true,
  }).warnings.map(one => [one.code, one.message.split(':')[0]])

describe('Claude', () => {
  it('says nothing when nothing is changed', () => {
    expect(anthropic('claude-sonnet-4-5', { temperature: 0.5, stop: 'x' })).toEqual([])
  })

  it.for<[string, Record<string, unknown>, [string, string][]]>([
    [
      'claude-opus-5',
      { temperature: 0.5, top_k: 4 },
      [
        ['setting_ignored', 'temperature'],
        ['setting_ignored', 'top_k'],
      ],
    ],
    ['claude-sonnet-4-5', { temperature: 1.7 }, [['temperature_clamped', 'temperature']]],
    ['claude-sonnet-4-5', { temperature: 0.5, top_p: 0.9 }, [['setting_ignored', 'top_p']]],
    [
      'claude-sonnet-4-5',
      { seed: 7, logit_bias: {} },
      [
        ['setting_ignored', 'seed'],
        ['setting_ignored', 'logit_bias'],
      ],
    ],
    ['claude-opus-5-5', { thinking: { type: 'disabled' } }, [['thinking_kept', 'thinking']]],
    [
      'claude-opus-5',
      { thinking: { type: 'enabled', budget_tokens: 9000 } },
      [['budget_ignored', 'thinking.budget_tokens']],
    ],
    ['claude-3-5-haiku', { effort: 'high' }, [['setting_ignored', 'effort']]],
    ['claude-opus-5-5', { reasoning_effort: 'none' }, [['thinking_kept', 'thinking']]],
    ['claude-opus-5', { reasoning_effort: 'none', verbosity: 'low' }, [['setting_ignored', 'verbosity']]],
    [
      'claude-sonnet-4-5',
      { response_format: { type: 'json_object' } },
      [['json_in_words', 'response_format']],
    ],
    ['claude-sonnet-4-5', { service_tier: 'priority' }, [['setting_ignored', 'service_tier']]],
  ])('%s %o', ([model, options, expected]) => {
    expect(anthropic(model, options)).toEqual(expected)
  })

  it('says when a budget had to be lowered, and when there was no room for thinking at all', () => {
    const thinking = { type: 'enabled', budget_tokens: 9000 }
    expect(anthropic('claude-sonnet-4-5', { thinking }, { max_tokens: 5000 })).toEqual([
      ['budget_lowered', 'thinking.budget_tokens'],
    ])
    expect(anthropic('claude-sonnet-4-5', { thinking }, { max_tokens: 1000 })).toEqual([
      ['thinking_dropped', 'thinking'],
    ])
    expect(anthropic('claude-opus-4-5', { reasoning_effort: 'high' }, { max_tokens: 1000 })).toEqual([
      ['thinking_dropped', 'thinking'],
    ])
  })

  it('says which schemas are put in other words, and which are not enforced', () => {
    const tools = [
      { name: 'either', input_schema: { anyOf: [{ type: 'object' }] }, strict: true },
      { name: 'plain', input_schema: { type: 'object' } },
    ]
    const { warnings } = toAnthropicRequest(request('x', { tools }), undefined)
    expect(warnings.map(one => one.code)).toEqual(['schema_flattened', 'strict_ignored'])
    expect(warnings[0]?.message).toContain('"either"')
  })
})

describe('OpenAI', () => {
  it.for<[string, Record<string, unknown>, [string, string][]]>([
    ['gpt-4o', { temperature: 0.5, reasoning_effort: 'high' }, [['setting_ignored', 'reasoning_effort']]],
    [
      'gpt-5',
      { temperature: 0.5, presence_penalty: 1 },
      [
        ['setting_ignored', 'temperature'],
        ['setting_ignored', 'presence_penalty'],
      ],
    ],
    [
      'gpt-4o',
      { thinking: { type: 'enabled' }, top_k: 3 },
      [
        ['setting_ignored', 'top_k'],
        ['setting_ignored', 'thinking'],
      ],
    ],
  ])('%s %o', ([model, options, expected]) => {
    expect(openai(model, options)).toEqual(expected)
  })
})

it.for(['anthropic', 'openai'] as const)('%s: warnings come with the start of the answer', async name => {
  const upstream = await startFakeUpstream()
  const asked = request('hello', { options: { temperature: 0.5 } })
  const model =
    name === 'anthropic'
      ? createAnthropicModel({ model: 'claude-opus-5', apiKey: 'k', baseUrl: upstream.url })
      : createOpenAiChatModel({ model: 'gpt-5', apiKey: 'k', baseUrl: `${upstream.url}/v1` })
  const [start] = await collect(model, asked)
  expect(start).toMatchObject({
    type: 'start',
    warnings: [
      { code: 'setting_ignored', message: 'temperature: this model takes no such setting; it is ignored.' },
    ],
  })
  await upstream.close()
})

describe('what a Claude request may ask for by tool', () => {
  const tools = ['a', 'b'].map(name => ({ name, input_schema: { type: 'object', properties: {} } }))
  const body = (options: Record<string, unknown>) =>
    toAnthropicRequest(request('x', { tools, options }), undefined).body

  it('is eager input streaming, for all tools or for those it names', () => {
    const eager = (options: Record<string, unknown>) =>
      body(options).tools?.map(
        tool => (tool as { eager_input_streaming?: boolean }).eager_input_streaming ?? false,
      )
    expect(eager({ eager_input_streaming: true })).toEqual([true, true])
    expect(eager({ eager_input_streaming: ['b'] })).toEqual([false, true])
    expect(eager({})).toEqual([false, false])
  })

  it('is a cache that lasts an hour', () => {
    const marks = (options: Record<string, unknown>) =>
      JSON.stringify(body(options)).match(/"cache_control":\{[^}]*\}/g)
    expect(marks({ cache_ttl: '1h' })).toEqual(
      marks({})?.map(() => '"cache_control":{"type":"ephemeral","ttl":"1h"}'),
    )
  })
})
