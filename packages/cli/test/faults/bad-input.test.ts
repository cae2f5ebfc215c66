/** User errors on every wire: a typed error with advice, and a session that continues afterwards. */
import { loadScenario } from '@toolwire/demo'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { expectedOf, type Failed } from './expectations.ts'
import type { Got, Limits } from './http-form.ts'
import { openStage, type Stage } from './product.ts'
import { WIRES, type WireName } from './wires.ts'

/** A history keeps unanswered messages, so only its end decides; except where it must not be kept. */
const refuses = (words: string, message: string) => ({
  when: words.startsWith('too long') ? { text_contains: words } : { text_matches: `${words}$` },
  emit: [{ type: 'error', code: 'bad_request', message, http_status: 400, retryable: false }],
})

const TEXT = 'All is well.'
const SCRIPT = {
  name: 'bad input',
  turns: [
    refuses('no tools', 'llama2:7b does not support tools'),
    refuses('bad schema at anthropic', 'tools.1.custom.input_schema: JSON schema is invalid'),
    refuses('bad schema at openai', "Invalid schema for function 'get_time': None is not of type 'string'"),
    refuses('too long at anthropic', 'prompt is too long: 250000 tokens > 200000 maximum'),
    refuses('too long at openai', "This model's maximum context length is 128000 tokens."),
    refuses('too long elsewhere', 'the request exceeds the available context size, try increasing it'),
    { emit: [{ type: 'text', text: TEXT }] },
  ],
}
const TOOLS = ['get_weather', 'get_time'].map(name => ({
  name,
  input_schema: { type: 'object', properties: {} },
}))
const NAMES = Object.keys(WIRES) as WireName[]
const GOOD = 'claude-sonnet-5'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({
    upstream: { model: loadScenario(SCRIPT) },
    // Without a configured address, this vendor's models need a key.
    env: { OPENAI_BASE_URL: undefined, OPENAI_API_KEY: undefined },
  })
  withOpenAi = await openStage({ upstream: { model: loadScenario(SCRIPT) } })
})
let withOpenAi: Stage
afterEach(() => {
  for (const one of [stage, withOpenAi]) one.upstream.stand(undefined)
})
afterAll(async () => await Promise.all([stage.close(), withOpenAi.close()]))

interface Case {
  readonly model: string
  readonly text?: string
  readonly failed: Failed
  /** What the message must say. */
  readonly says: RegExp
  readonly fault?: string
  readonly openai?: boolean
  readonly limits?: Limits
}

const CASES: Readonly<Record<string, Case>> = {
  'an id that nobody knows, with the names that come near': {
    model: 'claud-sonnet-5',
    failed: { code: 'unknown_model', early: true },
    says: /"claude-sonnet-5"/,
  },
  'an id that the provider does not know': {
    model: GOOD,
    fault: '404',
    failed: { code: 'unknown_model', status: 404 },
    says: /model/,
  },
  'a fallback model that nobody knows': {
    model: GOOD,
    limits: { fallback_models: ['gpt5'] },
    failed: { code: 'unknown_model', early: true },
    says: /gpt5/,
  },
  'a missing key, with the variable to set': {
    model: 'gpt-5',
    failed: { code: 'missing_key', early: true },
    says: /OPENAI_API_KEY/,
  },
  'a rejected key': { model: GOOD, fault: '401', failed: { code: 'model_auth', status: 401 }, says: /key/ },
  'a model that cannot call tools': {
    model: 'openai/llama2:7b',
    openai: true,
    text: 'no tools',
    failed: { code: 'tools_unsupported', status: 400 },
    says: /does not support tools/,
  },
  'a schema that Anthropic rejects, by the name of its tool': {
    model: GOOD,
    text: 'bad schema at anthropic',
    failed: { code: 'schema_rejected', status: 400 },
    // It is named by its index; where the server's own tools are offered too, the index differs.
    says: /the tool "(get_time|Glob)"/,
  },
  'a schema that OpenAI rejects, by the name of its tool': {
    model: 'gpt-4o',
    openai: true,
    text: 'bad schema at openai',
    failed: { code: 'schema_rejected', status: 400 },
    says: /"get_time"/,
  },
  'a history that is too long for Claude': {
    model: GOOD,
    text: 'too long at anthropic',
    failed: { code: 'context_too_long', status: 400 },
    says: /250000 tokens/,
  },
  'a history that is too long for GPT': {
    model: 'gpt-4o',
    openai: true,
    text: 'too long at openai',
    failed: { code: 'context_too_long', status: 400 },
    says: /128000 tokens/,
  },
  'a history that is too long for a local server': {
    model: 'openai/qwen3',
    openai: true,
    text: 'too long elsewhere',
    failed: { code: 'context_too_long', status: 400 },
    says: /context size/,
  },
  'a run that used up its time': {
    model: GOOD,
    fault: 'silence;after=0',
    limits: { max_duration_ms: 100 },
    failed: { code: 'deadline_exceeded' },
    says: /100 ms/,
  },
}

describe.for(Object.entries(CASES))('%s', ([, one]) => {
  test.for(NAMES)('is a typed error on %s, and the session continues', async wire => {
    const { url, upstream } = one.openai ? withOpenAi : stage
    const ask = (text: string, more: object = {}): Promise<Got> =>
      WIRES[wire]({ url, model: GOOD, text, tools: TOOLS, ...more })
    const { session } = await ask('hello')
    expect(session).not.toBe('')
    if (one.fault !== undefined) upstream.stand(one.fault)
    const { model, limits } = one
    const got = await ask(one.text ?? 'hello?', { session, model, ...(limits ? { limits } : {}) })
    expect(got, got.message).toMatchObject(expectedOf(wire, one.failed))
    expect(got.message).toMatch(one.says)
    expect(JSON.stringify(got)).not.toMatch(/sk-ant-test-key|sk-openai-test/)
    upstream.stand(undefined)
    expect(await ask('and now?', { session })).toMatchObject({ session, text: TEXT, isWhole: true })
  })
})

describe('a fallback model', () => {
  test.for(NAMES)(
    'answers on %s when the first one is overloaded, and the client is notified',
    async wire => {
      // After the failures above other models are asked first, until the provider has answered again.
      await WIRES[wire]({ url: withOpenAi.url, model: GOOD, text: 'hello' })
      withOpenAi.upstream.strike('529;times=2')
      const limits = { fallback_models: ['gpt-4o'] }
      const got = await WIRES[wire]({ url: withOpenAi.url, model: GOOD, text: 'hello', limits })
      expect(got).toMatchObject({ text: TEXT, status: 200, isWhole: true })
      // The whole answer of the thread wire has no place for it; its stream does.
      if (wire === 'thread, whole') return
      expect(got.warnings).toEqual([
        { code: 'fallback_model', message: `${GOOD} failed (model_overloaded); gpt-4o answers instead.` },
      ])
    },
  )
})

describe('a setting that the model does not take', () => {
  test.for(['openai-chat, streamed', 'openai-chat, whole'] as const)('is reported on %s', async wire => {
    const body = { temperature: 0.5 }
    const got = await WIRES[wire]({ url: stage.url, model: GOOD, text: 'hello', more: body })
    expect(got.warnings).toContainEqual({
      code: 'setting_ignored',
      message: 'temperature: this model takes no such setting; it is ignored.',
    })
  })
})
