/** A provider that keeps failing is asked after the others, for a while; every provider by itself. */
import type { Failure, Model } from '@toolwire/core'
import { type FakeUpstream, startFakeUpstream } from '@toolwire/demo'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createModelFinder } from '../../src/finder.ts'
import type { ProviderEntry } from '../../src/providers/provider-entry.ts'
import { createCircuit, withCircuit } from '../../src/shared/circuit.ts'
import { createKeyPool } from '../../src/shared/key-pool.ts'
import { collect } from '../collect.ts'
import { scriptedModel } from '../scripted-model.ts'

describe('a circuit', () => {
  it('opens at the fifth failure in a row, longer each time, and closes at the first success', () => {
    let time = 0
    const circuit = createCircuit(() => time)
    const failTimes = (n: number): void => {
      for (let k = 0; k < n; k++) circuit.fail()
    }
    failTimes(4)
    circuit.succeed()
    failTimes(4)
    expect(circuit.isOpen()).toBe(false)
    failTimes(1)
    expect(circuit.isOpen()).toBe(true)
    // Requests that were sent before fail, too.
    failTimes(3)
    time = 10_000
    expect(circuit.isOpen()).toBe(false)
    failTimes(1)
    time = 20_001
    expect(circuit.isOpen()).toBe(true)
    time = 1_000_000
    failTimes(1)
    time = 1_300_000
    expect(circuit.isOpen()).toBe(false)
    failTimes(1)
    circuit.succeed()
    expect(circuit.isOpen()).toBe(false)
  })

  it.each([
    ['model_unavailable', true],
    ['model_timeout', true],
    ['model_overloaded', true],
    ['model_rate_limited', false],
    ['bad_request', false],
  ] as const)('counts %s: %s', async (code, counts) => {
    const circuit = createCircuit()
    const error: Failure = { code, message: 'no', retryable: true }
    const failing: Model = {
      provider: 'p',
      id: 'm',
      async *stream() {
        yield { type: 'error', error }
      },
    }
    const model = withCircuit(failing, circuit)
    for (let n = 0; n < 5; n++) await collect(model)
    expect(model.isFailing?.()).toBe(counts)
  })
})

describe('providers', () => {
  let upstream: FakeUpstream
  beforeAll(async () => {
    upstream = await startFakeUpstream({ model: scriptedModel() })
  })
  afterAll(() => upstream.close())

  it('share no circuit; the models of one do', async () => {
    const entry = (name: string): ProviderEntry => ({
      name,
      api: 'openai-chat',
      baseUrl: `${upstream.url}/v1`,
      keys: createKeyPool([`key-${name}`]),
      retries: 0,
    })
    const list = [entry('one'), entry('two')]
    const find = createModelFinder({ demo: scriptedModel(), providers: () => list })
    upstream.strike('503;times=5')
    for (let n = 0; n < 5; n++) await collect(find('one/a'))
    expect(find('one/a').isFailing?.()).toBe(true)
    expect(find('one/b').isFailing?.()).toBe(true)
    expect(find('two/a').isFailing?.()).toBe(false)
    // It is asked all the same by a request that names it alone, and recovers.
    expect((await collect(find('one/b'))).at(-1)?.type).toBe('end')
    expect(find('one/a').isFailing?.()).toBe(false)
  })
})
