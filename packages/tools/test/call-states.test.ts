/** What becomes of a call, step by step: every state that a screen shows comes from an event of the log. */
import { modelHistory, type Tool } from '@toolwire/core'
import { applyRecords, emptyView } from '@toolwire/core/view'
import { describe, expect, test } from 'vitest'
import { oneStage } from './one-stage.ts'
import { type Stage, textOf } from './stage.ts'
import { simple } from './test-tools.ts'

const open = oneStage()

const look = simple('Look', {
  async *call() {
    yield { type: 'result', output_text: 'seen' }
  },
})
const bad = simple('Bad', {
  // biome-ignore lint/correctness/useYield: a tool that fails before its first step
  async *call() {
    throw new Error('no')
  },
})
/** Runs until it is stopped. */
const wait = simple('Wait', {
  async *call(_, { signal }) {
    yield { type: 'progress', message: 'waiting' }
    await new Promise<void>(resolve => {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve(), { once: true })
    })
  },
})

/** Each change of the call's state, with the event that made it. */
function statesOf(s: Stage): readonly string[] {
  let before: string | undefined
  return s.records.flatMap((rec, i) => {
    const [call] = applyRecords(emptyView(), s.records.slice(0, i + 1)).calls.values()
    if (!call || call.state === before) return []
    before = call.state
    return [`${rec.ev.type}: ${call.state}`]
  })
}
const BUILT = ['block.started: building', 'tool.ready: queued'] as const

describe('a call', () => {
  test('that may run is built, parsed, run and done', async () => {
    const s = open({ tools: [look] })
    await s.one('Look', {})
    expect(statesOf(s)).toEqual([...BUILT, 'tool.started: executing', 'tool.completed: success'])
    expect(s.events('tool.ready')[0]).toMatchObject({ input: {}, input_text: '{}' })
  })

  test('that fails has failed, after it ran or before', async () => {
    const s = open({ tools: [bad] })
    await s.one('Bad', {})
    expect(statesOf(s)).toEqual([...BUILT, 'tool.started: executing', 'tool.failed: failed'])
    s.close()
    const other = open({ tools: [look] })
    await other.say([{ name: 'Look', text: '{"n":' }])
    await other.settle()
    expect(statesOf(other)).toEqual(['block.started: building', 'tool.failed: failed'])
  })

  test('that is asked about waits for the answer, and then for its turn', async () => {
    const rules = { ask: ['Look'] }
    const s = open({ tools: [look], permissions: { rules } })
    const call = await s.one('Look', {})
    expect(statesOf(s)).toEqual([...BUILT, 'tool.approval_requested: awaiting_approval'])
    s.restart()
    s.approve(call)
    await s.settle()
    expect(statesOf(s).slice(3)).toEqual([
      'input.approval: queued',
      'tool.started: executing',
      'tool.completed: success',
    ])
    s.close()
    const other = open({ tools: [look], permissions: { rules } })
    other.approve(await other.one('Look', {}), { decision: 'denied' })
    await other.settle()
    expect(statesOf(other).slice(3)).toEqual(['input.approval: queued', 'tool.failed: denied'])
  })

  test('whose tool comes only after its message is parsed then', async () => {
    const tools: Tool[] = []
    const s = open({ tools: () => tools })
    await s.say([{ name: 'Look', input: { n: 1 } }])
    tools.push(look)
    await s.settle()
    expect(statesOf(s)).toEqual([...BUILT, 'tool.started: executing', 'tool.completed: success'])
    expect(s.events('tool.ready')).toMatchObject([{ input: { n: 1 }, input_text: '{"n":1}' }])
  })

  test('of the client waits for the client', async () => {
    const s = open({ tools: [], client_tools: [{ name: 'Page', input_schema: { type: 'object' } }] })
    const call = await s.one('Page', {})
    expect(statesOf(s)).toEqual([...BUILT, 'tool.client_requested: awaiting_client'])
    s.restart()
    s.answerClient(call, 'done')
    await s.settle()
    expect(statesOf(s).slice(3)).toEqual(['input.tool_output: executing', 'tool.completed: success'])
  })

  test('that is stopped is being stopped until it has ended', async () => {
    const s = open({ tools: [wait] })
    await s.say([{ name: 'Wait', input: {} }])
    const settled = s.settle()
    while (s.events('tool.progress').length === 0) await new Promise(resolve => setImmediate(resolve))
    s.cancel()
    await settled
    expect(statesOf(s)).toEqual([
      ...BUILT,
      'tool.started: executing',
      'input.cancel: cancelling',
      'tool.failed: cancelled',
    ])
    // It only read.
    expect(textOf(s.state().calls[0])).toMatch(/^Interrupted by the user after \d+\.\d s\.$/)
  })

  test('that a crash interrupted is lost if its outcome is unknown', async () => {
    const writes = simple('Writes', { isReadOnly: () => false, call: look.call })
    const s = open({ tools: [writes], mode: 'bypassPermissions' })
    await s.say([{ name: 'Writes', input: {}, id: 'c1' }])
    s.append({ type: 'tool.started', ts: new Date().toISOString(), call_id: 'c1', attempt: 1 })
    s.restart()
    await s.settle()
    expect(statesOf(s)).toEqual([...BUILT, 'tool.started: executing', 'tool.failed: lost'])
  })
})

test('of an invalid value, at most eighty characters are shown', async () => {
  const s = open({ tools: [look] })
  const text = textOf(await s.one('Look', { n: 'x'.repeat(5000) }))
  expect(text).toContain(`got string "${'x'.repeat(79)}…`)
  expect(text).not.toContain('x'.repeat(80))
})

test.each([
  ['plan', 'denied_mode', /^Plan mode only allows reading/],
  ['dontAsk', 'denied_mode', /^Nobody is asked in this mode/],
])('a denial by the mode %s has the code of modes, and the reason', async (mode, code, name) => {
  const writes = simple('Writes', { isReadOnly: () => false, call: look.call })
  const s = open({ tools: [writes], mode })
  const call = await s.one('Writes', {})
  expect(call.outcome?.failure).toMatchObject({ code, layer: 'permission' })
  expect(textOf(call)).toMatch(name)
})

test('results are in the order of their calls in one message, in whatever order they came', async () => {
  const before = Promise.withResolvers<void>()
  const last = simple('Last', {
    async *call() {
      await before.promise
      yield { type: 'result', output_text: 'the first call' }
    },
  })
  const first = simple('First', {
    async *call() {
      yield { type: 'result', output_text: 'the second call' }
    },
  })
  const s = open({ tools: [last, first, bad] })
  await s.say([
    { name: 'Last', input: {} },
    { name: 'First', input: {} },
    { name: 'Bad', input: {} },
  ])
  const settled = s.settle()
  while (s.state().calls.filter(call => call.outcome).length < 2)
    await new Promise(resolve => setImmediate(resolve))
  before.resolve()
  await settled
  expect(s.events('tool.completed').map(event => event.output_text)).toEqual([
    'the second call',
    'the first call',
  ])
  const told = modelHistory(s.state()).flatMap(message => (message.role === 'tool' ? [message.results] : []))
  expect(told.map(results => results.map(result => result.output_text))).toEqual([
    ['the first call', 'the second call', 'no'],
  ])
})

describe('a sibling', () => {
  const page = { name: 'Page', input_schema: { type: 'object' } }
  const slow = simple('Slow', { timeout_ms: 1, call: wait.call })

  test.each([
    ['throws', { name: 'Bad', input: {} }],
    ['is not known', { name: 'Nope', input: {} }],
    ['has wrong arguments', { name: 'Look', input: { n: 'x' } }],
    ['has arguments that are no JSON', { name: 'Look', text: '{' }],
    ['is denied', { name: 'Denied', input: {} }],
    ['takes too long', { name: 'Slow', input: {} }],
  ])('that %s stops none of the others, neither running nor waiting ones', async (_, failing) => {
    const ended = Promise.withResolvers<void>()
    let stopped = 0
    // Runs until the other has failed; an abort would be noticed.
    const steady = simple('Steady', {
      async *call(_input, { signal }) {
        signal.addEventListener('abort', () => stopped++)
        await ended.promise
        yield { type: 'result', output_text: 'done' }
      },
    })
    const denied = simple('Denied', { call: look.call })
    const s = open({
      tools: [look, bad, slow, steady, denied],
      client_tools: [page],
      permissions: { rules: { deny: ['Denied'] } },
    })
    await s.say([
      { name: 'Steady', input: {} },
      failing,
      { name: 'Page', input: {} },
      { name: 'Look', input: {} },
    ])
    const settled = s.settle()
    while (s.events('tool.failed').length === 0) await new Promise(resolve => setImmediate(resolve))
    ended.resolve()
    expect(await settled).toBe('pause')
    expect(s.state().calls.map(call => call.outcome?.is_error)).toEqual([false, true, undefined, false])
    expect(stopped).toBe(0)
  })
})
