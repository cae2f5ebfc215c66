/** The thinking that a run asks for, as whole request bodies per model. */
import { EFFORTS, type Effort, type ModelRequest } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { toAnthropicRequest } from '../../src/anthropic/request.ts'
import { findCapability, listedModels } from '../../src/capabilities.ts'
import { toChatRequest } from '../../src/openai-chat/request.ts'
import { effortsOf, nearestEffort } from '../../src/shared/effort.ts'
import { request } from '../collect.ts'

const TOOL = { name: 'Read', input_schema: { type: 'object', properties: {} } }

function claude(model: string, more: Partial<ModelRequest>) {
  const { body, warnings, refusal } = toAnthropicRequest(
    { ...request('hello', { model, ...more }) },
    findCapability('anthropic', model),
  )
  expect({ warnings, refusal }).toEqual({ warnings: [], refusal: undefined })
  return JSON.parse(JSON.stringify(body))
}

function gpt(model: string, more: Partial<ModelRequest>) {
  const capability = findCapability('openai', model)
  const { body, warnings } = toChatRequest(request('hello', { model, ...more }), {
    capability,
    isOfficial: true,
  })
  expect(warnings.filter(({ code }) => code !== 'effort_lowered')).toEqual([])
  return JSON.parse(JSON.stringify(body))
}

const ANSWERED = {
  stream: true,
  messages: [
    {
      role: 'user',
      content: [{ type: 'text', text: 'hello', cache_control: { type: 'ephemeral' } }],
    },
  ],
}

describe('Claude', () => {
  it.each([
    ['auto', { thinking: { type: 'adaptive', display: 'summarized' } }],
    ['none', { thinking: { type: 'disabled' } }],
    ['minimal', { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } }],
    ['max', { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'max' } }],
  ] as const)('that measures its thinking itself, at %s', (effort, thinking) => {
    expect(claude('claude-opus-5', { effort })).toEqual({
      model: 'claude-opus-5',
      max_tokens: 128_000,
      ...ANSWERED,
      ...thinking,
    })
  })

  it.each([
    ['auto', { thinking: { type: 'enabled', budget_tokens: 8192 } }],
    ['none', { thinking: { type: 'disabled' } }],
    ['low', { thinking: { type: 'enabled', budget_tokens: 2048 } }],
    ['max', { thinking: { type: 'enabled', budget_tokens: 63_999 } }],
  ] as const)('that takes a budget, at %s', (effort, thinking) => {
    expect(claude('claude-sonnet-4-5', { effort })).toEqual({
      model: 'claude-sonnet-4-5',
      max_tokens: 64_000,
      ...ANSWERED,
      ...thinking,
    })
  })

  it.each([
    ['auto', { thinking: { type: 'adaptive', display: 'summarized' } }],
    ['none', { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } }],
  ] as const)('that always thinks, at %s', (effort, thinking) => {
    expect(claude('claude-opus-5-5', { effort })).toEqual({
      model: 'claude-opus-5-5',
      max_tokens: 128_000,
      ...ANSWERED,
      ...thinking,
    })
  })

  it('gets the nearest level below the one that it does not have', () => {
    expect(claude('claude-sonnet-4-6', { effort: 'xhigh' }).output_config).toEqual({ effort: 'high' })
    expect(claude('claude-opus-4-5', { effort: 'max' }).output_config).toEqual({ effort: 'high' })
  })

  it('says so when an effort that the user chose is left out, and is silent at auto', () => {
    const capability = findCapability('openai', 'gpt-5.5')
    const codes = (more: Partial<ModelRequest>) =>
      toChatRequest(request('hello', { model: 'gpt-5.5', ...more }), {
        capability,
        isOfficial: true,
      }).warnings.map(({ code }) => code)
    expect(codes({ effort: 'high', tools: [TOOL] })).toEqual(['effort_lowered'])
    expect(codes({ effort: 'auto', tools: [TOOL] })).toEqual([])
    expect(codes({ effort: 'high' })).toEqual([])
  })

  it.each(EFFORTS)('that cannot think, or of which nothing is known, is asked for nothing at %s', effort => {
    expect(claude('claude-3-5-haiku', { effort })).toEqual({
      model: 'claude-3-5-haiku',
      max_tokens: 8192,
      ...ANSWERED,
    })
    expect(claude('claude-of-tomorrow', { effort })).toEqual({
      model: 'claude-of-tomorrow',
      max_tokens: 32_000,
      ...ANSWERED,
    })
  })

  it('is not asked where thinking would break what the request asks for', () => {
    const forced = { tools: [TOOL], tool_choice: { type: 'any' }, effort: 'high' } as const
    expect(claude('claude-opus-5', forced)).not.toHaveProperty('thinking')
    const sampled = { options: { temperature: 0.2 }, effort: 'auto' } as const
    expect(claude('claude-sonnet-4-6', sampled)).toMatchObject({ temperature: 0.2 })
    expect(claude('claude-sonnet-4-6', sampled)).not.toHaveProperty('thinking')
    expect(claude('claude-sonnet-4-5', { max_tokens: 500, effort: 'auto' })).not.toHaveProperty('thinking')
  })
})

describe('GPT', () => {
  const plain = (model: string) => ({
    model,
    messages: [{ role: 'user', content: 'hello' }],
    stream: true,
    stream_options: { include_usage: true },
  })

  it.each([
    ['gpt-5', 'auto', 'medium'],
    ['gpt-5', 'none', 'minimal'],
    ['gpt-5', 'max', 'high'],
    ['gpt-5.1', 'none', 'none'],
    ['gpt-5.1', 'minimal', 'none'],
    ['o3', 'minimal', 'low'],
    ['gpt-6-sol', 'xhigh', 'xhigh'],
  ] as const)('%s at %s gets %s', (model, effort, reasoning_effort) => {
    expect(gpt(model, { effort })).toEqual({ ...plain(model), reasoning_effort })
  })

  it('gets none beside functions where Chat Completions refuses the two together', () => {
    const tools = [TOOL]
    expect(gpt('gpt-5.5', { effort: 'high', tools })).not.toHaveProperty('reasoning_effort')
    expect(gpt('gpt-5.1', { effort: 'high', tools })).toMatchObject({ reasoning_effort: 'high' })
  })

  it.each(EFFORTS)('that cannot think, or of which nothing is known, is asked for nothing at %s', effort => {
    expect(gpt('gpt-4o', { effort })).toEqual(plain('gpt-4o'))
    expect(gpt('qwen3', { effort })).toEqual(plain('qwen3'))
  })
})

describe('a request', () => {
  it.each([
    { thinking: { type: 'disabled' } },
    { reasoning_effort: 'low' },
    { effort: 'low' },
    { output_config: { effort: 'low' } },
  ])('that has settings, %j, keeps them', options => {
    const own = claude('claude-opus-5', { options })
    for (const effort of EFFORTS) expect(claude('claude-opus-5', { options, effort })).toEqual(own)
  })

  it('without an effort is not given one', () => {
    for (const { provider, id } of listedModels()) {
      if (provider === 'anthropic') {
        expect(claude(id, {})).not.toHaveProperty('thinking')
        expect(claude(id, {})).not.toHaveProperty('output_config')
      } else expect(gpt(id, {})).not.toHaveProperty('reasoning_effort')
    }
  })
})

describe('the table', () => {
  it('has levels exactly for the models that take an effort, in order', () => {
    for (const { id, effort, efforts } of listedModels()) {
      expect([id, (efforts ?? []).length > 0]).toEqual([id, effort === true])
      const ranks = (efforts ?? []).map(level => EFFORTS.indexOf(level))
      expect([id, ranks]).toEqual([id, ranks.toSorted((a, b) => a - b)])
    }
  })

  it('offers levels that the model takes, and none for a model that cannot think', () => {
    const levels = (provider: string, id: string): readonly Effort[] =>
      effortsOf(findCapability(provider, id))
    expect(levels('anthropic', 'claude-3-5-haiku')).toEqual([])
    expect(levels('openai', 'gpt-4o')).toEqual([])
    expect(effortsOf(undefined)).toEqual([])
    expect(levels('anthropic', 'claude-opus-5-5')).not.toContain('none')
    expect(levels('anthropic', 'claude-haiku-5-5')).toContain('none')
    expect(levels('anthropic', 'claude-3-7-sonnet')).toContain('high')
    expect(nearestEffort('none', levels('anthropic', 'claude-opus-5-5'))).toBe('low')
  })
})
