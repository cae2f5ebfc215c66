/** From ids to models, and the errors without one. */
import { AppError, type Model } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { CAPABILITIES_DATE, findCapability, listedModels } from '../src/capabilities.ts'
import { createModelFinder } from '../src/finder.ts'
import { costOf } from '../src/shared/usage.ts'
import { scriptedModel } from './scripted-model.ts'

const demo: Model = { ...scriptedModel(), provider: 'demo', id: 'demo' }
const env = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' }
const refusal = (id: string, given = env as Parameters<typeof createModelFinder>[0]['env']): AppError => {
  try {
    createModelFinder({ demo, env: given })(id)
  } catch (error) {
    if (AppError.is(error)) return error
  }
  throw new Error('no refusal')
}

describe('the finder', () => {
  it.for([
    ['demo', 'demo', 'demo'],
    ['anthropic/claude-opus-5', 'anthropic', 'claude-opus-5'],
    ['anthropic/not-listed-at-all', 'anthropic', 'not-listed-at-all'],
    ['claude-future-9', 'anthropic', 'claude-future-9'],
    ['gpt-99', 'openai:openai-responses', 'gpt-99'],
    ['gpt-4.1', 'openai', 'gpt-4.1'],
    ['o3', 'openai:openai-responses', 'o3'],
    ['openai/llama3.2:3b', 'openai:openai-responses', 'llama3.2:3b'],
    ['openai/meta/llama', 'openai:openai-responses', 'meta/llama'],
  ] as const)('finds %s', ([id, provider, model]) => {
    expect(createModelFinder({ demo, env })(id)).toMatchObject({ provider, id: model })
  })

  it('gives the same model for the same id, and the configuration’s own before all others', () => {
    const find = createModelFinder({ demo, env, models: { 'claude-mine': demo } })
    expect(find('gpt-5')).toBe(find('gpt-5'))
    expect(find('claude-mine')).toBe(demo)
  })

  it('takes a key that is set, changed or removed while it runs, and leaves alone what needs none', () => {
    const recording = { ...demo, id: 'own' }
    let now: Parameters<typeof refusal>[1] = {}
    const find = createModelFinder({ demo, env: () => now as typeof env, models: { own: recording } })
    expect(() => find('gpt-5')).toThrow(AppError)
    now = { OPENAI_API_KEY: 'one' }
    const first = find('gpt-5')
    expect(find('gpt-5')).toBe(first)
    now = { OPENAI_API_KEY: 'two' }
    expect(find('gpt-5')).not.toBe(first)
    now = {}
    expect(() => find('gpt-5')).toThrow(/Settings.*OPENAI_API_KEY/)
    expect(find('demo')).toBe(demo)
    expect(find('own')).toBe(recording)
  })

  it('says which names come near', () => {
    const error = refusal('cluade-opus-5')
    expect(error.code).toBe('unknown_model')
    expect(error.message).toContain('claude-opus-5')
    expect(refusal('dmeo').message).toContain('"demo"')
    expect(refusal('mistral/large').code).toBe('unknown_model')
    expect(refusal('anthropic/').code).toBe('unknown_model')
    expect(refusal('').code).toBe('unknown_model')
  })

  it('plays no recording that a caller names, and knows no model by an inherited name', () => {
    const find = createModelFinder({ demo, env, models: { 'replay:/mine': demo } })
    expect(find('replay:/mine')).toBe(demo)
    for (const id of ['replay:/dev/zero', 'replay:', 'constructor', 'toString', '__proto__'])
      expect(() => find(id), id).toThrow(expect.objectContaining({ code: 'unknown_model' }))
  })

  it('says which variable holds the missing key', () => {
    expect(refusal('claude-opus-5', {})).toMatchObject({
      code: 'missing_key',
      details: { variable: 'ANTHROPIC_API_KEY' },
    })
    expect(refusal('gpt-5', {}).message).toContain('OPENAI_API_KEY')
  })

  it('needs no key for a self-hosted server', () => {
    const find = createModelFinder({ demo, env: { OPENAI_BASE_URL: 'http://localhost:11434/v1' } })
    expect(find('openai/llama3').provider).toBe('openai')
  })
})

describe('the capability table', () => {
  it('is dated, has no model twice and no price of zero', () => {
    expect(CAPABILITIES_DATE).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    const ids = listedModels().map(row => `${row.provider}/${row.id}`)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { price } of listedModels()) if (price) expect(price.input > 0 && price.output > 0).toBe(true)
  })

  it('finds dated ids, but never an older model for a newer name', () => {
    expect(findCapability('anthropic', 'claude-haiku-4-5-20251001')?.id).toBe('claude-haiku-4-5')
    expect(findCapability('openai', 'gpt-5.5-2026-04-23')?.id).toBe('gpt-5.5')
    expect(findCapability('anthropic', 'claude-opus-5-7')).toBeUndefined()
    expect(findCapability('openai', 'claude-opus-5')).toBeUndefined()
  })

  it('prices cache reads and writes apart, long prompts by their own rates, and the unknown not at all', () => {
    const usage = {
      input: 1_000_000,
      output: 1_000_000,
      cache_read: 1_000_000,
      cache_write: 1_000_000,
      reasoning: 5,
    }
    expect(costOf(usage, findCapability('anthropic', 'claude-opus-5')?.price)).toBe(5 + 25 + 0.5 + 6.25)
    const price = { input: 1, output: 2, above: { prompt_tokens: 100, input: 10, output: 20 } }
    expect(costOf({ ...usage, cache_read: 0, cache_write: 0 }, price)).toBe(30)
    expect(costOf(usage, findCapability('anthropic', 'claude-fable-5-2')?.price)).toBeUndefined()
  })
})
