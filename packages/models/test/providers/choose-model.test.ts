/** The model of a run by the id that it names: aliases with weights, and fallback models of a provider. */
import { describe, expect, it } from 'vitest'
import { createModelChooser } from '../../src/providers/choose-model.ts'
import type { ProviderEntry } from '../../src/providers/provider-entry.ts'
import { createKeyPool } from '../../src/shared/key-pool.ts'

const entry = (name: string, more: Partial<ProviderEntry> = {}): ProviderEntry => ({
  name,
  api: 'openai-chat',
  keys: createKeyPool([]),
  ...more,
})
const sessions = Array.from({ length: 4000 }, (_, n) => `session-${n}`)
const share = (choose: ReturnType<typeof createModelChooser>, model: string): number =>
  sessions.filter(session => choose('fast', session).model === model).length / sessions.length

describe('an alias', () => {
  const members = ['openai/gpt-6-luna', 'azure/luna', 'router/luna:free']
  const choose = createModelChooser({ fast: members }, () => [entry('openai'), entry('azure')])

  it('is one of its models, always the same for one session, and the others after it', () => {
    for (const session of sessions.slice(0, 50)) {
      const { model, fallback_models = [] } = choose('fast', session)
      expect([model, ...fallback_models].toSorted()).toEqual(members.toSorted())
      expect(choose('fast', session)).toEqual({ model, fallback_models })
    }
  })

  it('shares its sessions by the weights of the providers', () => {
    for (const member of members) expect(share(choose, member)).toBeCloseTo(1 / 3, 1)
    const weighted = createModelChooser({ fast: ['a/m', 'b/m'] }, () => [
      entry('a', { weight: 3 }),
      entry('b'),
    ])
    expect(share(weighted, 'a/m')).toBeCloseTo(0.75, 1)
  })

  it('moves no session between the others when one of its models goes', () => {
    const fewer = createModelChooser({ fast: members.slice(0, 2) }, () => [])
    for (const session of sessions.slice(0, 200)) {
      const { model } = choose('fast', session)
      if (model !== 'router/luna:free') expect(fewer('fast', session).model).toBe(model)
    }
  })

  it('is found by its own name alone: inherited names and other ids stay as they are', () => {
    for (const id of ['fastest', 'toString', '__proto__', 'claude-opus-5'])
      expect(choose(id, 's')).toEqual({ model: id })
  })
})

describe('the fallback models of a provider', () => {
  const providers = [entry('a', { fallbacks: ['b/m', 'a/m', 'c/m'] }), entry('b')]
  const choose = createModelChooser({ both: ['a/m', 'b/m'] }, () => providers)

  it('follow its models alone, and never a model itself', () => {
    expect(choose('a/m', 's')).toEqual({ model: 'a/m', fallback_models: ['b/m', 'c/m'] })
    expect(choose('b/m', 's')).toEqual({ model: 'b/m' })
  })

  it('follow the other models of an alias', () => {
    const session = sessions.find(one => choose('both', one).model === 'a/m') ?? ''
    expect(choose('both', session)).toEqual({ model: 'a/m', fallback_models: ['b/m', 'c/m'] })
  })
})
