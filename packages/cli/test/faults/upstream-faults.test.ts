/**
 * Every fault of the provider × every wire × streamed and whole × both APIs, over real sockets: the client gets the
 * right error or the right recovery, the session works afterwards, and what was used is in the log.
 */
import type { EventOf } from '@toolwire/core'
import { loadScenario } from '@toolwire/demo'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { STATUS_FAULTS, STREAM_FAULTS } from '../../../demo/src/fake-upstream/faults.ts'
import { checkUsage } from './check-usage.ts'
import { expectedOf, type Failed } from './expectations.ts'
import type { Answered, Got, Used } from './http-form.ts'
import { openStage, type Stage } from './product.ts'
import { ends, readLog } from './read-log.ts'
import { WIRES, type WireName } from './wires.ts'

const TEXT = 'A long day in 沈阳, with a ☀️ and a few more words.'
const SCRIPT = {
  name: 'faults',
  turns: [
    {
      when: { text_contains: 'weather', has_result: false },
      emit: [
        { type: 'text', text: 'Let me look.', chunk_size: 100 },
        { type: 'tool_call', name: 'get_weather', input: { city: '沈阳' }, chunk_size: 100 },
        {
          type: 'tool_call',
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
/** One that judges silence at once and is patient all the same. */
let brisk: Stage
let stage: Stage

beforeAll(async () => {
  const upstream = { model: loadScenario(SCRIPT) }
  patient = await openStage({ upstream })
  const quick = { modelSilenceMs: 1000, modelThinkingMs: 1200, modelRetries: 0 }
  hasty = await openStage({ upstream, flags: quick })
  brisk = await openStage({ upstream, flags: { ...quick, modelRetries: 3 } })
})
beforeEach(() => {
  stage = patient
})
afterEach(() => stage.upstream.stand(undefined))
afterAll(async () => await Promise.all([patient.close(), hasty.close(), brisk.close()]))

/** With the calls of an answer, their results are sent instead. */
type Ask = (text: string, session?: string, asked?: Got) => Promise<Got>

const askOn =
  (wire: WireName, model: string): Ask =>
  (text, session, asked) =>
    WIRES[wire]({
      url: stage.url,
      model,
      text,
      ...(session === undefined ? {} : { session }),
      ...(asked === undefined ? {} : { results: answered(asked), said: asked.text }),
      ...(text.startsWith('weather') ? { tools: TOOLS } : {}),
    })

type Does = (wire: WireName, ask: Ask) => Promise<void>

/** Asks through all wires at once. */
const onEveryWire = (model: string, does: Does): Promise<unknown> =>
  Promise.all(NAMES.map(wire => does(wire, askOn(wire, model))))

const onOneWireAfterAnother = async (model: string, does: Does): Promise<void> => {
  for (const wire of NAMES) await does(wire, askOn(wire, model))
}

/**
 * `used`: the provider reported its input; one API does so before the output, of the other it is estimated after
 * output.
 */
interface Lasting extends Failed {
  readonly used?: boolean
}

/**
 * Where a client sends its whole history, call ids identify the session of its results: no two sessions may wait
 * with the same.
 */
const questionOn = (wire: WireName): string => `weather, by ${wire}`

/** What the same question uses on each wire when nothing goes wrong: they offer different tools. */
const references = new Map<string, Used>()
async function usageOfWhole(model: string): Promise<(wire: WireName) => Used> {
  await onEveryWire(model, async (wire, ask) => {
    if (references.has(`${wire} ${model}`)) return
    const used = await checkUsage(stage.url, wire, await ask('hello'))
    expect(Math.min(used?.input ?? 0, used?.output ?? 0), wire).toBeGreaterThan(0)
    if (used) references.set(`${wire} ${model}`, used)
  })
  return wire => references.get(`${wire} ${model}`) ?? { input: 0, output: 0 }
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
    const whole = await usageOfWhole(model)
    stage.upstream.stand(fault)
    const before = stage.upstream.requests.length
    await onEveryWire(model, async (wire, ask) => {
      const got = await ask('hello')
      expect(got, `${wire}: ${got.message}`).toMatchObject(expectedOf(wire, failed))
      expect(got.message, wire).toMatch(/\S/)
      expect(got.session, wire).not.toBe('')
      const [end] = ends(await readLog(stage.url, got.session))
      expect(end, wire).toMatchObject({ type: 'run.failed', error: { code: failed.code } })
      const used = await checkUsage(stage.url, wire, got)
      // The usage of the one API is kept as reported, also of a retried attempt; the other's final report is estimated.
      const attempts = failed.spoke ? 1 : 2
      if (provider === 'anthropic')
        expect(used?.input, wire).toBe(failed.used ? attempts * whole(wire).input : undefined)
      else expect((used?.input ?? 0) > 0, wire).toBe(failed.spoke ?? false)
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
  '503',
  '529',
  'reset',
  'cut-frame;after=0',
  'cut-clean;after=0',
  'malformed-json;after=0',
  'malformed-json;after=1',
  'error-event;after=1',
] as const

/** One API reports its input with its first frame, and started output. */
const wasTold = (model: string, fault: string): boolean =>
  model === MODELS.anthropic && fault.endsWith(';after=1')

test.for(Object.values(MODELS).flatMap(model => PASSING.map(fault => [model, fault] as const)))(
  '%s: %s, once and before any content, is not noticed on any wire, and counted',
  async ([model, fault]) => {
    const whole = await usageOfWhole(model)
    for (const wire of NAMES) {
      stage.upstream.strike(fault)
      const before = stage.upstream.requests.length
      const got = await WIRES[wire]({ url: stage.url, model, text: 'hello' })
      expect(got, wire).toMatchObject({ text: TEXT, status: 200, isWhole: true })
      expect(got.error, wire).toBeUndefined()
      expect(stage.upstream.requests.length - before, wire).toBe(2)
      const { input, output } = whole(wire)
      const told = wasTold(model, fault) ? { input: 2 * input, output: output + 1 } : { input, output }
      expect(await checkUsage(stage.url, wire, got), wire).toEqual(told)
    }
  },
)

test.for(Object.values(MODELS))(
  '%s: silence, once and before any content, is not noticed either',
  async model => {
    stage = brisk
    const whole = await usageOfWhole(model)
    // A wire that is late may be struck twice; each strike costs one request more.
    stage.upstream.strike(`silence;after=0;times=${NAMES.length}`)
    const before = stage.upstream.requests.length
    await onEveryWire(model, async (wire, ask) => {
      const got = await ask('hello')
      expect(got, wire).toMatchObject({ text: TEXT, status: 200, isWhole: true })
      expect(await checkUsage(stage.url, wire, got), wire).toEqual(whole(wire))
    })
    expect(stage.upstream.requests.length - before).toBe(2 * NAMES.length)
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

const answered = ({ calls, ids, written }: Got): readonly Answered[] =>
  calls.map(([name, input], place) => ({
    id: ids[place] ?? '',
    name,
    input,
    written: written?.[place] ?? '',
    output: `result of ${name}`,
  }))

/** The calls of the session that came to a result, or to none, by their ids. */
async function endsOfCalls(
  session: string,
): Promise<Readonly<Record<'tool.completed' | 'tool.failed', string[]>>> {
  const log = await readLog(stage.url, session)
  const of = (type: 'tool.completed' | 'tool.failed') =>
    log.flatMap(ev => (ev.type === type ? [(ev as EventOf<typeof type>).call_id] : []))
  return { 'tool.completed': of('tool.completed'), 'tool.failed': of('tool.failed') }
}

/** The chat API ends with the whole text of the conversation, over the pause. */
const endOf = (wire: WireName): string => (wire === 'chat' ? `Let me look.${TEXT}` : TEXT)

test.for(Object.values(MODELS).flatMap(model => HARMLESS.map(fault => [model, fault] as const)))(
  '%s: %s changes neither text nor calls nor usage on any wire, and the run continues to its end',
  async ([model, fault]) => {
    const whole = await usageOfWhole(model)
    stage.upstream.stand(fault)
    const onWires = fault === 'duplicate-ids' ? onOneWireAfterAnother : onEveryWire
    await onWires(model, async (wire, ask) => {
      const said = await ask('hello')
      expect(said, wire).toMatchObject({ text: TEXT, status: 200, isWhole: true })
      const untold = { input: 0, output: 0 }
      const used = fault === 'missing-usage' ? untold : whole(wire)
      expect(await checkUsage(stage.url, wire, said), wire).toEqual(used)

      const question = questionOn(wire)
      const asked = await ask(question)
      expect(asked.calls, wire).toEqual(CALLS)
      expect(new Set(asked.ids).size, wire).toBe(2)
      expect(asked.ids, wire).not.toContain('')
      const paused = await checkUsage(stage.url, wire, asked)
      expect((paused?.input ?? 0) > 0, wire).toBe(fault !== 'missing-usage')

      const ended = await ask(question, asked.session, asked)
      expect(ended, `${wire}: ${ended.message}`).toMatchObject({
        text: endOf(wire),
        status: 200,
        isWhole: true,
      })
      expect(ended.session, wire).toBe(asked.session)
      const calls = await endsOfCalls(ended.session)
      expect(calls['tool.completed'].toSorted(), wire).toEqual(asked.ids.toSorted())
      expect(calls['tool.failed'], wire).toEqual([])
      expect(await ask('and now?', ended.session), wire).toMatchObject({ text: TEXT, isWhole: true })
    })
  },
)

describe.for(Object.values(MODELS))('%s, a stream that breaks after a complete call', model => {
  const isVendor = (wire: WireName): boolean => /openai|anthropic/.test(wire)
  const breaks: readonly (readonly [string, number, 'none' | 'begun' | 'half'])[] =
    model === MODELS.anthropic
      ? [
          ['behind it', 10, 'none'],
          ['before the arguments of the next', 11, 'begun'],
          ['inside the arguments of the next', 14, 'half'],
        ]
      : // Of this API it is known when the next one begins.
        [
          ['before the arguments of the next', 7, 'begun'],
          ['inside the arguments of the next', 9, 'half'],
        ]

  test.for(breaks)('%s, keeps it and runs no other', async ([, after, torn]) => {
    const isTorn = torn !== 'none'
    stage.upstream.stand(`cut-frame;after=${after}`)
    const sessions = new Map<WireName, Got>()
    await onEveryWire(model, async (wire, ask) => void sessions.set(wire, await ask(questionOn(wire))))
    stage.upstream.stand(undefined)
    await onEveryWire(model, async (wire, ask) => {
      const got = sessions.get(wire)
      if (!got) throw new Error(`nothing from ${wire}`)
      const used = await checkUsage(stage.url, wire, got)
      expect(Math.min(used?.input ?? 0, used?.output ?? 0), wire).toBeGreaterThan(0)
      const log = await readLog(stage.url, got.session)
      const asked = log.flatMap(ev => (ev.type === 'tool.client_requested' ? [ev] : []))
      expect(
        asked.map(ev => ev.name),
        wire,
      ).toEqual(['get_weather'])
      const begun = log.flatMap(ev => (ev.type === 'block.started' && ev.tool ? [ev.tool.call_id] : []))
      expect(begun, wire).toHaveLength(isTorn ? 2 : 1)
      expect((await endsOfCalls(got.session))['tool.failed'], wire).toEqual(begun.slice(1))
      const pieces = log.flatMap(ev => (ev.type === 'block.delta' && ev.input_text ? [ev.input_text] : []))
      expect(pieces.join('').length > JSON.stringify(CALLS[0]?.[1]).length + 1, wire).toBe(torn === 'half')
      // What was shown of a call cannot be taken back where there is no word for one that is not to be run.
      if (isTorn && isVendor(wire)) {
        const spoke = { code: 'interrupted', spoke: true }
        expect(got, `${wire}: ${got.message}`).toMatchObject(expectedOf(wire, spoke))
      } else {
        expect(got, `${wire}: ${got.message}`).toMatchObject({
          calls: CALLS.slice(0, 1),
          status: 200,
          isWhole: true,
        })
        expect(got.error, wire).toBeUndefined()
        const ended = await ask(questionOn(wire), got.session, got)
        expect(ended, wire).toMatchObject({ text: endOf(wire), isWhole: true, session: got.session })
        expect((await endsOfCalls(got.session))['tool.completed'], wire).toEqual(got.ids)
      }
      expect(await ask('and now?', got.session), wire).toMatchObject({ text: TEXT, isWhole: true })
    })
  })
})

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

test('every fault of the fake provider is used here, or in a separate file', () => {
  const struck = [...Object.keys(LASTING), ...PASSING, ...HARMLESS, 'refused'].map(
    fault => fault.split(';')[0],
  )
  const elsewhere = ['context-window']
  expect(new Set([...struck, ...elsewhere])).toEqual(new Set([...STATUS_FAULTS, ...STREAM_FAULTS]))
})
