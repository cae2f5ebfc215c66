/** Pauses with a deadline: data in the log and a wake-up time in the store, no timer. */
import { approvalKey, outputKey, type SessionEvent, type Store } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { createToolSystem } from '@toolwire/tools'
import { expect, test } from 'vitest'
import { createAskUserQuestionTool } from '../../../tools/src/builtin/ask-user-question.ts'
import { createRuntime, type Runtime } from '../../src/runtime.ts'
import { type ScriptedTurn, scriptedModel } from './scripted-model.ts'
import { fold, opening, readAll, SESSION, seed, testTools } from './stage.ts'

const START = Date.parse('2026-01-01T00:00:00.000Z')
const HOUR = 3_600_000

interface Timed {
  readonly store: Store
  readonly runtime: Runtime
  /** Moves the clock, as if the server had looked again then. */
  readonly later: (ms: number) => Promise<void>
}

async function pausedOn(...calls: ScriptedTurn['calls']): Promise<Timed> {
  let now = START
  let n = 0
  const store = createMemoryStore({ now: () => now })
  await seed(store, opening('go'))
  const open = (): Runtime =>
    createRuntime({
      log: store,
      models: () => scriptedModel([{ calls }]),
      tools: createToolSystem({
        tools: [...testTools(new Map()), createAskUserQuestionTool()],
        expiry: { approval_ms: HOUR, client_ms: 2 * HOUR },
      }),
      ids: { uuid: () => `run-${++n}`, prefixed: prefix => `${prefix}${++n}` },
      clock: { now: () => new Date(now) },
      node: `node-${++n}`,
      toolNames: [],
      maxTurns: 5,
      onError: error => {
        throw error
      },
    })
  const runtime = open()
  await runtime.start()
  await runtime.settled()
  await runtime.stop()
  return {
    store,
    runtime,
    async later(ms) {
      now += ms
      const next = open()
      await next.start()
      await next.settled()
      await next.stop()
    },
  }
}

const failures = async (store: Store): Promise<readonly string[]> =>
  (await readAll(store)).flatMap(({ ev }) =>
    ev.type === 'tool.failed' ? [`${ev.call_id} ${ev.error.code}`] : [],
  )

test('an approval without an answer in time expires, and the run continues', async () => {
  const { store, later } = await pausedOn({ name: 'poke', input: { at: 'x' } })
  expect((await store.list({ limit: 1 })).items[0]).toMatchObject({ state: 'paused', wakeAt: START + HOUR })
  await later(HOUR - 1)
  expect((await fold(store)).phase).toBe('paused')
  await later(1)
  const all = (await readAll(store)).map(rec => rec.ev)
  expect(all.find(ev => ev.type === 'tool.approval_resolved')).toMatchObject({
    decision: 'expired',
    by: 'system',
  })
  expect(await failures(store)).toEqual([expect.stringContaining(' expired')])
  expect(all.findLast(ev => ev.type === 'run.started')).toMatchObject({ trigger: 'expiry' })
  expect(all.at(-1)?.type).toBe('run.completed')
})

test('of two deadlines the earlier one wakes first, and the pause is repeated with the rest', async () => {
  const { store, later } = await pausedOn({ name: 'poke', input: { at: 'x' } }, { name: 'browse', input: {} })
  await later(HOUR)
  expect((await readAll(store)).at(-1)?.ev).toMatchObject({
    type: 'run.paused',
    pending: [{ kind: 'client_tool' }],
  })
  expect((await store.list({ limit: 1 })).items[0]?.wakeAt).toBe(START + 2 * HOUR)
  await later(HOUR)
  expect(await failures(store)).toHaveLength(2)
  expect((await fold(store)).phase).toBe('idle')
})

test('an answer given before the deadline applies, however late it is processed', async () => {
  const { store, later } = await pausedOn({ name: 'browse', input: {} })
  const [call] = (await fold(store)).calls
  const event: SessionEvent = {
    type: 'input.tool_output',
    ts: new Date(START + HOUR).toISOString(),
    call_id: call?.call_id ?? '',
    output_text: 'in time',
    is_error: false,
    by: 'page',
  }
  await store.append([
    { session: SESSION, events: [event], key: `out:${call?.message_id}:${call?.call_id}`, state: 'running' },
  ])
  await later(5 * HOUR)
  expect(await failures(store)).toEqual([])
  expect(
    (await readAll(store)).some(({ ev }) => ev.type === 'tool.completed' && ev.output_text === 'in time'),
  ).toBe(true)
})

test('an answer after the clock, based on an earlier read, is second: nothing is recorded', async () => {
  const { store, later } = await pausedOn({ name: 'poke', input: { at: 'x' } }, { name: 'browse', input: {} })
  const [poke, browse] = (await fold(store)).calls
  await later(2 * HOUR)
  const { head } = await fold(store)
  const ts = new Date(START).toISOString()
  const approval_id = poke?.approval?.approval_id ?? ''
  const yes = { type: 'input.approval', ts, approval_id, call_id: poke?.call_id ?? '', decision: 'approved' }
  const call_id = browse?.call_id ?? ''
  const output = { type: 'input.tool_output', ts, call_id, output_text: 'late', is_error: false, by: 'page' }
  const answers = await store.append([
    { session: SESSION, events: [yes as SessionEvent], key: approvalKey(approval_id) },
    { session: SESSION, events: [output as SessionEvent], key: outputKey(browse?.message_id ?? '', call_id) },
  ])
  expect(answers).toMatchObject([{ dup: expect.any(Number) }, { dup: expect.any(Number) }])
  expect((await fold(store)).head).toBe(head)
})

test('a question pauses for user input in every mode, and the answer is its result', async () => {
  const questions = [{ question: 'Red or blue?', options: [{ label: 'red' }, { label: 'blue' }] }]
  const { store, later } = await pausedOn({ name: 'AskUserQuestion', input: { questions } })
  const all = (await readAll(store)).map(rec => rec.ev)
  expect(all.at(-1)).toMatchObject({
    type: 'run.paused',
    reason: 'user_input_required',
    pending: [{ kind: 'question', message: 'Red or blue?' }],
  })
  const asked = all.find(ev => ev.type === 'tool.approval_requested')
  expect(asked).toMatchObject({
    kind: 'question',
    options: [{ label: 'red' }, { label: 'blue' }],
    allow_edit: false,
  })
  const answer: SessionEvent = {
    type: 'input.approval',
    ts: new Date(START).toISOString(),
    approval_id: asked?.approval_id ?? '',
    call_id: asked?.call_id ?? '',
    decision: 'approved',
    answer_text: 'blue',
  }
  await store.append([{ session: SESSION, events: [answer], key: 'k', state: 'running' }])
  await later(0)
  expect((await fold(store)).messages.find(m => m.role === 'tool')).toMatchObject({
    results: [{ output_text: 'blue' }],
  })
})
