/**
 * Tools whose own functions throw, hang or return unstorable values: the call ends once and the session continues.
 */
import type { SessionEvent, Tool, ToolStep } from '@toolwire/core'
import { createRuntime, type Runtime } from '@toolwire/runtime'
import { createMemoryStore } from '@toolwire/store'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { scriptedModel } from '../../runtime/test/loop/scripted-model.ts'
import { answerAll, fold, opening, readAll, SESSION, seed } from '../../runtime/test/loop/stage.ts'
import { createToolSystem, type ToolSystemOptions } from '../src/create-tool-system.ts'
import { defineTool } from '../src/define-tool.ts'

let runtime: Runtime | undefined
afterEach(async () => {
  await runtime?.stop()
  runtime = undefined
})

const boom = (): never => {
  throw new Error('broken inside')
}
const later = async (): Promise<never> => boom()
const never = (): Promise<never> => new Promise(() => {})

const sound = defineTool({
  name: 'sound',
  description: 'works',
  input: z.strictObject({}),
  isReadOnly: () => true,
  async *call() {
    yield { type: 'result', output_text: 'worked' }
  },
}) as Tool

/** A session whose model calls a tool that is broken in one part, and beside it one that is not. */
async function begin(part: Partial<Tool>, more: Partial<ToolSystemOptions> = {}) {
  const store = createMemoryStore()
  const errors: unknown[] = []
  let n = 0
  const broken = Object.freeze({ ...sound, name: 'broken', ...part })
  const calls = [broken, sound].map(({ name }) => ({ name, input: {} }))
  runtime = createRuntime({
    log: store,
    models: () => scriptedModel([{ calls }]),
    tools: createToolSystem({ tools: [broken, sound], ...more }),
    ids: { uuid: () => `run-${++n}`, prefixed: prefix => `${prefix}${++n}` },
    clock: { now: () => new Date('2026-01-01T00:00:00.000Z') },
    node: 'n',
    toolNames: ['broken', 'sound'],
    maxTurns: 5,
    onError: error => errors.push(error),
  })
  await seed(store, opening('go'))
  await runtime.start()
  runtime.wake(SESSION)
  const events = async (): Promise<readonly SessionEvent[]> => (await readAll(store)).map(rec => rec.ev)
  return { store, runtime, errors, events }
}
type Begun = Awaited<ReturnType<typeof begin>>

/** The end of each call, in their order, once the run has ended; a question is answered with yes. */
async function ends({ store, runtime: running, errors, events }: Begun) {
  await running.settled()
  if ((await fold(store)).phase === 'paused') {
    await answerAll({ store, runtime: running, effects: new Map(), errors }, await fold(store))
    running.wake(SESSION)
    await running.settled()
  }
  const all = await events()
  expect(errors).toEqual([])
  expect(all.filter(ev => ev.type === 'run.completed')).toHaveLength(1)
  // What the log holds can be written down.
  expect(JSON.parse(JSON.stringify(all))).toHaveLength(all.length)
  const terminal = all.flatMap(ev => (ev.type === 'tool.completed' || ev.type === 'tool.failed' ? [ev] : []))
  const tool = (await fold(store)).messages.find(message => message.role === 'tool')
  expect(terminal).toHaveLength(2)
  return tool?.role === 'tool' ? tool.results.map(({ output_text }) => output_text) : []
}

describe('a tool whose own function throws ends its call, not the session', () => {
  const failing: readonly (readonly [string, Partial<Tool>, RegExp])[] = [
    ['subject', { subject: boom }, /failed to say what the call would do, so it was not run: broken inside/],
    ['subject, later', { subject: later }, /so it was not run: broken inside/],
    ['validate', { validate: boom }, /broken inside/],
    ['check', { check: boom }, /could not be checked, because broken failed: broken inside/],
    ['call', { call: boom }, /broken inside/],
    ['checkOutput', { checkOutput: boom }, /could not be checked: broken inside/],
    ['isEnabled', { isEnabled: boom }, /No such tool available: broken. It is disabled/],
  ]
  test.each(failing)('%s: the model is notified', async (_, part, text) => {
    expect(await ends(await begin(part))).toEqual([expect.stringMatching(text), 'worked'])
  })

  const harmless: readonly (readonly [string, Partial<Tool>])[] = [
    ['access', { access: boom }],
    ['access, later', { access: later }],
    ['isReadOnly', { isReadOnly: boom }],
    ['isIdempotent', { isIdempotent: boom }],
    ['description', { description: boom }],
    ['view', { view: boom }],
    ['question', { question: boom }],
    ['preview', { preview: boom, isReadOnly: () => false }],
    ['preview, later', { preview: later, isReadOnly: () => false }],
  ]
  test.each(harmless)('%s: it runs all the same, after an approval where that is needed', async (_, part) => {
    expect(await ends(await begin(part))).toEqual(['worked', 'worked'])
  })

  test('a schema without a JSON form: the tool is not sent to the model', async () => {
    const tool = defineTool({ ...sound, name: 'broken', input: z.strictObject({ n: z.bigint() }) }) as Tool
    const system = createToolSystem({ tools: [tool, sound] })
    const session = await fold((await begin({})).store)
    const told = system.specs({ session_id: SESSION, session: () => session, agent: () => session })
    expect(told.map(spec => spec.name)).toEqual(['sound'])
  })
})

test.each([
  ['throws', { isReadOnly: boom }],
  ['is a promise', { isReadOnly: (async () => true) as unknown as Tool['isReadOnly'] }],
] as const)('a tool whose isReadOnly %s is asked about like one that writes', async (_, part) => {
  const begun = await begin(part)
  await begun.runtime.settled()
  expect((await begun.events()).map(ev => ev.type)).toContain('tool.approval_requested')
})

describe('what a tool gives that cannot be kept', () => {
  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle
  const giving = (...steps: readonly unknown[]): Partial<Tool> => ({
    async *call() {
      yield* steps as readonly ToolStep[]
    },
  })
  const cases: readonly (readonly [string, Partial<Tool>, string | RegExp])[] = [
    [
      'a number that JSON does not know',
      giving({ type: 'result', output_text: 'x', structured: 1n }),
      /cannot be kept.*\nx$/s,
    ],
    ['a circle in a result', giving({ type: 'result', output_text: 'x', structured: cycle }), /no JSON form/],
    ['content that is no list', giving({ type: 'result', output_text: 'x', content: 7 }), /no JSON form/],
    ['no text', giving({ type: 'result' }), '(no output)'],
    ['a text that is data', giving({ type: 'result', output_text: { a: 1 } }), '{"a":1}'],
    ['a failure without words', giving({ type: 'failure', details: cycle }), /gave no reason/],
    [
      'progress in a circle',
      giving({ type: 'progress', data: cycle, output_delta: 5 }, { type: 'result', output_text: 'fine' }),
      'fine',
    ],
    ['nothing at all', giving(undefined), /undefined|produced no result/],
    [
      'something thrown that has no words',
      {
        call() {
          throw Object.create(null)
        },
      },
      'no reason was given',
    ],
  ]
  test.each(cases)('%s', async (_, part, text) => {
    const [first] = await ends(await begin(part))
    if (typeof text === 'string') expect(first).toBe(text)
    else expect(first).toMatch(text)
  })
})

describe('a cancel ends a run that waits for', () => {
  const hanging: readonly (readonly [string, Partial<Tool>])[] = [
    ['subject', { subject: never }],
    ['access', { access: never }],
    ['validate', { validate: never }],
    ['preview', { preview: never, isReadOnly: () => false }],
  ]
  test.each(hanging)('%s of a tool that never answers, while the model writes', async (name, part) => {
    const asked = Promise.withResolvers<void>()
    const wait = (): Promise<never> => {
      asked.resolve()
      return never()
    }
    await cancelled(await begin({ ...part, [name]: wait }), asked.promise)
  })

  const turns: readonly (readonly [string, unknown, number])[] = [
    ['subject', { type: 'tool', read_only: true }, 1],
    ['access', [], 1],
    ['validate', undefined, 0],
  ]
  test.each(turns)('%s of a tool that never answers when its turn has come', async (name, answer, early) => {
    const asked = Promise.withResolvers<void>()
    let times = 0
    const wait = async (): Promise<unknown> => {
      if (++times <= early) return answer
      asked.resolve()
      return await never()
    }
    await cancelled(await begin({ eager: false, [name]: wait }), asked.promise)
  })

  test('a look for new tools that never ends', async () => {
    const asked = Promise.withResolvers<void>()
    const refresh = (): Promise<void> => {
      asked.resolve()
      return never()
    }
    await cancelled(await begin({}, { refresh }), asked.promise)
  })

  async function cancelled(
    { store, runtime: running, events }: Begun,
    waiting: Promise<void>,
  ): Promise<void> {
    await waiting
    const ts = '2026-01-01T00:00:01.000Z'
    await store.append([
      {
        session: SESSION,
        events: [{ type: 'input.cancel', ts, reason: 'enough', by: 'me' }],
        state: 'running',
      },
    ])
    await running.settled()
    const all = await events()
    expect(all.at(-1)).toMatchObject({ type: 'run.cancelled', reason: 'enough' })
    const made = all.flatMap(ev => (ev.type === 'tool.ready' ? [ev.call_id] : []))
    const over = all.flatMap(ev =>
      ev.type === 'tool.failed' || ev.type === 'tool.completed' ? [ev.call_id] : [],
    )
    expect(over.toSorted()).toEqual(made.toSorted())
    expect(all.some(ev => ev.type === 'tool.failed' && ev.error.code !== 'interrupted')).toBe(false)
    const [broken] = all.flatMap(ev => (ev.type === 'tool.ready' && ev.name === 'broken' ? [ev.call_id] : []))
    expect(all.some(ev => ev.type === 'tool.started' && ev.call_id === broken)).toBe(false)
  }
})
