/** Every fault against every model: what the port says, that it ends, and what was tried again. */
import { setTimeout } from 'node:timers/promises'
import type { Model, ModelPart } from '@toolwire/core'
import { createAnthropicModel, createOpenAiChatModel, createOpenAiResponsesModel } from '@toolwire/models'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { PatienceOptions } from '../../../models/src/shared/retry-policy.ts'
import { collect, request, said } from '../../../models/test/collect.ts'
import { FIRST, SECOND, scriptedModel, TEXT } from '../../../models/test/scripted-model.ts'
import { STATUS_FAULTS, STREAM_FAULTS } from '../../src/fake-upstream/faults.ts'
import { type FakeUpstream, startFakeUpstream } from '../../src/fake-upstream/start.ts'

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream({ model: scriptedModel() })
})
// After a rejection the port is closed for a while.
afterEach(async () => {
  while (!(await fetch(upstream.url, { method: 'HEAD' }).catch(() => undefined))) await setTimeout(5)
})
afterAll(() => upstream.close())

const waits: number[] = []
const patient: PatienceOptions = {
  silence: { bytesMs: 30_000, contentMs: 30_000 },
  retry: { maxRetries: 1 },
  random: () => 1,
  sleep: async ms => void waits.push(ms),
}

/**
 * Silence is judged quickly only where it lasts; a slow machine is silent too, and must not
 * be mistaken for the fault where an answer is to follow.
 */
function patienceFor(fault: string): PatienceOptions {
  if (fault === 'silence' || fault === 'silence-pings')
    return { ...patient, silence: { bytesMs: 300, contentMs: 400 } }
  return fault.startsWith('silence') ? { ...patient, silence: { bytesMs: 2000, contentMs: 2500 } } : patient
}

const MODELS = {
  anthropic: (fault: string, patience = patienceFor(fault)): Model =>
    createAnthropicModel({
      ...patience,
      model: 'claude-opus-5',
      apiKey: 'k',
      baseUrl: upstream.url,
      headers: { 'x-fake-fault': fault },
    }),
  openai: (fault: string, patience = patienceFor(fault)): Model =>
    createOpenAiChatModel({
      ...patience,
      model: 'gpt-5',
      apiKey: 'k',
      baseUrl: `${upstream.url}/v1`,
      headers: { 'x-fake-fault': fault },
    }),
  'openai:openai-responses': (fault: string, patience = patienceFor(fault)): Model =>
    createOpenAiResponsesModel({
      ...patience,
      model: 'gpt-5',
      apiKey: 'k',
      baseUrl: `${upstream.url}/v1`,
      headers: { 'x-fake-fault': fault },
    }),
}

const codeOf = (parts: readonly ModelPart[]): string | undefined => {
  const last = parts.at(-1)
  return last?.type === 'error' ? last.error.code : undefined
}
const endings = (parts: readonly ModelPart[]): number =>
  parts.filter(part => part.type === 'end' || part.type === 'error').length

const FINAL: Readonly<Record<string, string>> = {
  '400': 'model_error',
  '401': 'model_auth',
  '403': 'model_auth',
  '404': 'unknown_model',
  '413': 'context_too_long',
  '429': 'model_rate_limited',
  '500': 'model_unavailable',
  '503': 'model_overloaded',
  '529': 'model_overloaded',
  reset: 'model_unavailable',
  refused: 'model_unavailable',
  'cut-frame': 'model_unavailable',
  'cut-utf8': 'model_unavailable',
  'cut-clean': 'model_unavailable',
  'malformed-json': 'model_unavailable',
  'error-event': 'model_overloaded',
  silence: 'model_timeout',
  'silence-pings': 'model_timeout',
}
const HARMLESS = [
  'context-window',
  'one-byte',
  'crlf',
  'interleaved',
  'wrong-index',
  'duplicate-ids',
  'missing-usage',
  'slow-first-byte',
]

describe('the table of faults', () => {
  it('has an expectation for every fault there is', () => {
    expect([...Object.keys(FINAL), ...HARMLESS].sort()).toEqual([...STATUS_FAULTS, ...STREAM_FAULTS].sort())
  })
})

for (const [name, create] of Object.entries(MODELS)) {
  describe(`${name}: a fault that lasts`, () => {
    it.for(Object.entries(FINAL))('%s becomes %s, once, and the stream ends', async ([fault, code]) => {
      const parts = await collect(create(fault))
      expect(codeOf(parts)).toBe(code)
      expect(endings(parts)).toBe(1)
      expect(parts.filter(part => part.type === 'start').length).toBeLessThanOrEqual(1)
    })

    it('400 with a tool to blame names it, and without such a tool blames none', async () => {
      const tools = ['get_weather', 'mcp.server/time'].map(name => ({
        name,
        input_schema: { type: 'object' },
      }))
      const [last] = (await collect(create('400;tool=1'), request('hi', { tools }))).slice(-1)
      expect(last).toMatchObject({
        type: 'error',
        error: {
          code: 'schema_rejected',
          message: expect.stringContaining('"mcp.server/time"'),
          http_status: 400,
          retryable: false,
          details: { tool: 'mcp.server/time' },
        },
      })
      expect(codeOf(await collect(create('400;tool=9')))).toBe('model_error')
    })

    it.for(HARMLESS)('%s changes nothing about what the model said', async fault => {
      const parts = await collect(create(`${fault};ms=30`))
      const { text, calls, last } = said(parts)
      expect(text).toBe(TEXT)
      expect(calls.map(({ name, input }) => ({ name, input }))).toEqual(
        [FIRST, SECOND].map(({ name, input }) => ({ name, input })),
      )
      expect(last).toMatchObject({ type: 'end', finish: 'tool_calls' })
      expect(endings(parts)).toBe(1)
      expect(parts.filter(part => part.type === 'start')).toHaveLength(1)
    })

    it('reports zero usage when the provider reported none, and the true one otherwise', async () => {
      const none = await collect(create('missing-usage'))
      expect(none.at(-1)).toMatchObject({ usage: { input: 0, output: 0 } })
      const some = await collect(create('crlf'))
      expect(some.at(-1)).toMatchObject({ usage: { output: 34, cache_read: 5 } })
    })
  })

  describe(`${name}: a fault that passes`, () => {
    it.for([
      '429;retry-after=3',
      '500',
      '529',
      'reset',
      'silence;after=0',
      'cut-frame;after=0',
      'error-event;after=1',
    ])('%s is retried before any content, and only the second response is reported', async fault => {
      const once = `${fault};times=1;for=${name}`
      const parts = await collect(create(once))
      expect(parts.filter(part => part.type === 'start')).toHaveLength(1)
      expect(said(parts)).toMatchObject({ text: TEXT, last: { type: 'end' } })
    })

    it('is waited for as long as the provider asked', async () => {
      waits.length = 0
      await collect(create(`429;retry-after=7;times=1;for=wait-${name}`))
      expect(waits).toEqual([7000])
    })

    it('is not waited for when the provider asks for too much', async () => {
      waits.length = 0
      const parts = await collect(create('429;retry-after=3600'))
      expect(waits).toEqual([])
      expect(parts.at(-1)).toMatchObject({ error: { details: { retry_after_ms: 3_600_000 } } })
    })

    it.for(['cut-frame', 'error-event', 'malformed-json', 'silence'])(
      '%s after content is never tried again, and what was said stays said',
      async fault => {
        const before = upstream.requests.length
        const parts = await collect(create(`${fault};after=9`))
        expect(upstream.requests.length - before).toBe(1)
        expect(parts.some(part => part.type === 'block-start')).toBe(true)
        expect(parts.at(-1)?.type).toBe('error')
      },
    )

    it.for(['400', '400;tool=0', '401', '403', '413', '404'])('%s is final at once', async fault => {
      const before = upstream.requests.length
      await collect(create(fault))
      expect(upstream.requests.length - before).toBe(1)
    })
  })

  describe(`${name}: cancelling`, () => {
    it('ends a silent stream with one error part', async () => {
      const controller = new AbortController()
      const parts: ModelPart[] = []
      for await (const part of create('silence;after=9', patient).stream(
        { model: 'x', messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }], tools: [] },
        controller.signal,
      )) {
        parts.push(part)
        if (part.type === 'block-delta') controller.abort()
      }
      expect(codeOf(parts)).toBe('interrupted')
      expect(endings(parts)).toBe(1)
    })

    it('reports the usage so far, marked as an estimate', async () => {
      const controller = new AbortController()
      let last: ModelPart | undefined
      const content = [{ type: 'text' as const, text: 'hi '.repeat(400) }]
      for await (const part of create('silence;after=9', patient).stream(
        { model: 'x', messages: [{ role: 'user', content }], tools: [] },
        controller.signal,
      )) {
        last = part
        if (part.type === 'block-delta') controller.abort()
      }
      if (last?.type !== 'error') throw new Error('no error')
      expect(last.usage?.is_estimate).toBe(true)
      expect(last.usage?.output).toBeGreaterThan(1)
      // One API reports its input before the output; of the other it is estimated.
      if (name === 'openai') expect(last.usage?.input).toBeGreaterThan(300)
      expect(last.cost_usd === undefined || last.cost_usd > 0).toBe(true)
    })

    it('reports no usage without output: it is not billed', async () => {
      const parts = await collect(create('529', { ...patient, retry: { maxRetries: 0 } }))
      expect(parts).toHaveLength(1)
      expect(parts[0]).not.toHaveProperty('usage')
    })

    it('before the request sends nothing and waits for nothing', async () => {
      const before = upstream.requests.length
      waits.length = 0
      const parts = await collect(create('crlf'), undefined, AbortSignal.abort())
      expect(codeOf(parts)).toBe('interrupted')
      expect(upstream.requests.length).toBe(before)
      expect(waits).toEqual([])
    })
  })

  describe(`${name}: errors name what support needs`, () => {
    it('status, provider and request id', async () => {
      const parts = await collect(create('401'))
      expect(parts.at(-1)).toMatchObject({
        error: {
          http_status: 401,
          provider: name,
          request_id: expect.stringMatching(/^req_fake_/),
          retryable: false,
        },
      })
    })

    it('a closed port is unavailable, not a crash', async () => {
      const closed = await startFakeUpstream({ model: scriptedModel() })
      await closed.close()
      const model =
        name === 'anthropic'
          ? createAnthropicModel({ ...patient, model: 'claude-opus-5', apiKey: 'k', baseUrl: closed.url })
          : createOpenAiChatModel({ ...patient, model: 'gpt-5', baseUrl: `${closed.url}/v1` })
      const parts = await collect(model)
      expect(parts).toMatchObject([{ type: 'error', error: { code: 'model_unavailable', retryable: true } }])
    })
  })
}
