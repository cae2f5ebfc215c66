/**
 * Every fault of the provider × every wire × streamed and whole × both APIs, over real sockets: the client gets the
 * right error or the right recovery, the session works afterwards, and what was used is in the log.
 */
import { loadScenario } from '@toolwire/models'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { STATUS_FAULTS, STREAM_FAULTS } from '../../../models/src/fake-upstream/faults.ts'
import { expectedOf, type Failed } from './expectations.ts'
import { openStage, type Stage } from './product.ts'
import { ends, type Got, readLog, WIRES, type WireName } from './wires.ts'

const TEXT = 'A long day in 沈阳, with a ☀️ and a few more words.'
const SCRIPT = {
  name: 'faults',
  turns: [
    {
      when: { text_contains: 'weather', has_result: false },
      emit: [
        { type: 'text', text: 'Let me look.', chunk_size: 100 },
        { type: 'tool_call', id: 'toolu_a', name: 'get_weather', input: { city: '沈阳' }, chunk_size: 100 },
        {
          type: 'tool_call',
          id: 'toolu_b',
          name: 'get_time',
          input: { zone: 'Asia/Shanghai' },
          chunk_size: 9,
        },
      ],
    },
    { emit: [{ type: 'text', text: TEXT, chunk_size: 6 }] },
  ],
}
const CALLS = [
  ['get_weather', { city: '沈阳' }],
  ['get_time', { zone: 'Asia/Shanghai' }],
]
const TOOLS = ['city', 'zone'].map(field => ({
  name: field === 'city' ? 'get_weather' : 'get_time',
  input_schema: { type: 'object', properties: { [field]: { type: 'string' } } },
}))

const MODELS = { anthropic: 'claude-sonnet-5', openai: 'gpt-4o' } as const
const NAMES = Object.keys(WIRES) as WireName[]

/** One with the patience of a slow machine, one that judges silence at once. */
let patient: Stage
let hasty: Stage
let stage: Stage

beforeAll(async () => {
  const upstream = { model: loadScenario(SCRIPT) }
  patient = await openStage({ upstream })
  const quick = { modelSilenceMs: 1000, modelThinkingMs: 1200, modelRetries: 0 }
  hasty = await openStage({ upstream, flags: quick })
})
beforeEach(() => {
  stage = patient
})
afterEach(() => stage.upstream.stand(undefined))
afterAll(async () => await Promise.all([patient.close(), hasty.close()]))

type Ask = (text: string, session?: string) => Promise<Got>

/** Asks through all wires at once. */
const onEveryWire = (model: string, does: (wire: WireName, ask: Ask) => Promise<void>): Promise<unknown> =>
  Promise.all(
    NAMES.map(wire =>
      does(wire, (text, session) =>
        WIRES[wire]({
          url: stage.url,
          model,
          text,
          ...(session === undefined ? {} : { session }),
          ...(text === 'weather' ? { tools: TOOLS } : {}),
        }),
      ),
    ),
  )

/** `used`: the provider told what it had read; one API does so before it speaks, of the other it is estimated once it spoke. */
interface Lasting extends Failed {
  readonly used?: boolean
}

/** What the same question costs when nothing goes wrong. */
async function inputOfWhole({ url }: Stage, model: string): Promise<number> {
  const { session } = await WIRES.canonical({ url, model, text: 'hello' })
  const [end] = ends(await readLog(url, session))
  return end?.type === 'run.completed' ? (end.usage_by_model[0]?.usage.input ?? 0) : 0
}

/** Faults that no patience cures. */
const LASTING: Readonly<Record<string, Lasting>> = {
  '400': { code: 'model_error', status: 400 },
  '401': { code: 'model_auth', status: 401 },
  '403': { code: 'model_auth', status: 403 },
  '404': { code: 'unknown_model', status: 404 },
  '413': { code: 'context_too_long', status: 413 },
  '429;retry-after=7000': { code: 'model_rate_limited', status: 429 },
  '500': { code: 'model_unavailable', status: 500 },
  '503': { code: 'model_overloaded', status: 503 },
  '529': { code: 'model_overloaded', status: 529 },
  reset: { code: 'model_unavailable' },
  'cut-frame;after=0': { code: 'model_unavailable' },
  'cut-frame;after=6': { code: 'model_unavailable', spoke: true, used: true },
  'cut-clean;after=6': { code: 'model_unavailable', spoke: true, used: true },
  'malformed-json;after=6': { code: 'model_unavailable', spoke: true, used: true },
  'error-event;after=1': { code: 'model_overloaded', used: true },
  'error-event;after=6': { code: 'model_overloaded', spoke: true, used: true },
  'cut-utf8': { code: 'model_unavailable', spoke: true, used: true },
  'silence;after=0': { code: 'model_timeout' },
  'silence;after=6': { code: 'model_timeout', spoke: true, used: true },
  'silence-pings;after=6': { code: 'model_timeout', spoke: true, used: true },
}
const stageFor = (fault: string): Stage => (fault.startsWith('silence') ? hasty : patient)

describe.for(Object.entries(MODELS))('%s, a fault that lasts', ([provider, model]) => {
  test.for(Object.entries(LASTING))('%s fails the run on every wire alike', async ([fault, failed]) => {
    stage = stageFor(fault)
    const whole = await inputOfWhole(stage, model)
    stage.upstream.stand(fault)
    const before = stage.upstream.requests.length
    await onEveryWire(model, async (wire, ask) => {
      const got = await ask('hello')
      expect(got, `${wire}: ${got.message}`).toMatchObject(expectedOf(wire, failed))
      expect(got.message, wire).toMatch(/\S/)
      expect(got.session, wire).not.toBe('')
      // Chat and canonical name sessions by the id that the log route takes.
      if (wire !== 'canonical') return
      const [end] = ends(await readLog(stage.url, got.session))
      expect(end).toMatchObject({ type: 'run.failed', error: { code: failed.code } })
      const used = end?.type === 'run.failed' ? end.usage_by_model.map(row => row.usage.input) : []
      // What the one API told is kept as it is, also of an attempt that was repeated; what the other would have told at its end is estimated.
      const attempts = failed.spoke ? 1 : 2
      if (provider === 'anthropic') expect(used).toEqual(failed.used ? [attempts * whole] : [])
      else expect(used).toEqual(failed.spoke ? [expect.toSatisfy(input => input > 0)] : [])
    })
    // What has been said is not said again: only before that is a request repeated.
    if (failed.spoke) expect(stage.upstream.requests.length - before).toBe(NAMES.length)
  })

  test.for(Object.keys(LASTING))('%s leaves a session that works when it is over', async fault => {
    stage = stageFor(fault)
    stage.upstream.stand(fault)
    const sessions = new Map<WireName, string>()
    await onEveryWire(model, async (wire, ask) => void sessions.set(wire, (await ask('hello')).session))
    stage.upstream.stand(undefined)
    await onEveryWire(model, async (wire, ask) => {
      const got = await ask('and now?', sessions.get(wire))
      expect(got, wire).toMatchObject({ text: TEXT, status: 200, isWhole: true })
      expect(got.session, wire).toBe(sessions.get(wire))
    })
  })
})

const PASSING = [
  '429;retry-after=0',
  '500',
  '529',
  'reset',
  'cut-frame;after=0',
  'error-event;after=1',
] as const

test.for(Object.values(MODELS).flatMap(model => PASSING.map(fault => [model, fault] as const)))(
  '%s: %s, once and before any content, is not noticed on any wire',
  async ([model, fault]) => {
    for (const wire of NAMES) {
      stage.upstream.strike(fault)
      const before = stage.upstream.requests.length
      const got = await WIRES[wire]({ url: stage.url, model, text: 'hello' })
      expect(got, wire).toMatchObject({ text: TEXT, status: 200, isWhole: true })
      expect(got.error, wire).toBeUndefined()
      expect(stage.upstream.requests.length - before, wire).toBe(2)
    }
  },
)

const HARMLESS = [
  'one-byte',
  'crlf',
  'interleaved',
  'wrong-index',
  'duplicate-ids',
  'missing-usage',
  'slow-first-byte;ms=30',
] as const

test.for(Object.values(MODELS).flatMap(model => HARMLESS.map(fault => [model, fault] as const)))(
  '%s: %s changes neither text nor calls on any wire',
  async ([model, fault]) => {
    stage.upstream.stand(fault)
    await onEveryWire(model, async (wire, ask) => {
      expect(await ask('hello'), wire).toMatchObject({ text: TEXT, status: 200, isWhole: true })
      expect((await ask('weather')).calls, wire).toEqual(CALLS)
    })
  },
)

test.for(Object.values(MODELS))(
  '%s: a stream that breaks after a complete call keeps it, on every wire',
  async model => {
    // Behind the first call, inside the second.
    stage.upstream.stand(`cut-frame;after=${model.startsWith('claude') ? 11 : 7}`)
    await onEveryWire(model, async (wire, ask) => {
      const got = await ask('weather')
      expect(got.calls.slice(0, 1), wire).toEqual(CALLS.slice(0, 1))
      expect(got, wire).toMatchObject({ status: 200, isWhole: true })
      expect(got.error, wire).toBeUndefined()
    })
  },
)

test.for(Object.values(MODELS))(
  '%s: a provider that refuses connections is an error, and is used again when it is back',
  async model => {
    stage = hasty
    const sessions = new Map<WireName, string>()
    for (const wire of NAMES) {
      stage.upstream.strike('refused;ms=60000')
      const got = await WIRES[wire]({ url: stage.url, model, text: 'hello' })
      expect(got, wire).toMatchObject(expectedOf(wire, { code: 'model_unavailable' }))
      sessions.set(wire, got.session)
      const refused = await WIRES[wire]({ url: stage.url, model, text: 'still?', session: got.session })
      expect(refused, wire).toMatchObject(expectedOf(wire, { code: 'model_unavailable' }))
      await stage.upstream.listen()
      const again = await WIRES[wire]({ url: stage.url, model, text: 'and now?', session: got.session })
      expect(again, wire).toMatchObject({ text: TEXT, isWhole: true })
    }
  },
)

test('every fault that the fake provider knows is struck here, or in a file of its own', () => {
  const struck = [...Object.keys(LASTING), ...PASSING, ...HARMLESS, 'refused'].map(
    fault => fault.split(';')[0],
  )
  const elsewhere = ['context-window']
  expect(new Set([...struck, ...elsewhere])).toEqual(new Set([...STATUS_FAULTS, ...STREAM_FAULTS]))
})
