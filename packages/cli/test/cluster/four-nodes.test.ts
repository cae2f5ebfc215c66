/** Any server serves any session: four of them share one, and every reader sees the same bytes. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Launched } from '../launch.ts'
import { ask, type Fleet, isType, newSession, openFleet, readLog, say, until, watch } from './fleet.ts'

const TOOL = {
  name: 'get_location',
  description: 'Where the user is',
  input_schema: { type: 'object', properties: {} },
}

interface Pending {
  readonly pending: readonly { readonly kind: string; readonly id: string; readonly call_id: string }[]
}

// Servers start slowly on a busy machine.
vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 })

let fleet: Fleet
let nodes: readonly [Launched, Launched, Launched, Launched]
beforeAll(async () => {
  fleet = await openFleet()
  const start = () => fleet.start({ TOOLWIRE_PERMISSION_MODE: 'default', TOOLWIRE_DEMO_PACE_MS: '1' })
  nodes = await Promise.all([start(), start(), start(), start()])
})
afterAll(() => fleet.close())

test('started on one, watched on a second, approved on a third, a client tool answered on a fourth', async () => {
  const [first, second, third, fourth] = nodes
  const session = await newSession(first, { permission_mode: 'default', tools: ['Bash', 'Write'] })
  const asked = watch(second, session, isType('run.paused'))
  say(first, session, '/ask')
  const upToPause = await asked
  const pause = upToPause.at(-1)?.data as unknown as Pending | undefined
  expect(pause?.pending[0]?.kind).toBe('approval')

  const decided = await ask<{ readonly first: boolean }>(third, `/api/approvals/${pause?.pending[0]?.id}`, {
    decision: 'approved',
  })
  expect(decided).toMatchObject({ status: 200, body: { first: true } })
  await watch(second, session, isType('run.completed'))

  say(fourth, session, '/client where am I', { tools: [TOOL] })
  const waiting = (await watch(second, session, frame => isClientPause(frame.data))).at(-1)
  const call = (waiting?.data as unknown as Pending | undefined)?.pending[0]?.call_id
  const answered = await ask(fourth, `/api/sessions/${session}/tool_outputs`, {
    tool_outputs: [{ call_id: call, output: '沈阳' }],
  })
  expect(answered.status).toBe(200)
  let ends = 0
  const everywhere = await Promise.all(
    [first, second, third, fourth].map(node => {
      let completed = 0
      return watch(node, session, frame => isType('run.completed')(frame) && ++completed === 2)
    }),
  )
  for (const frames of everywhere) {
    ends += frames.filter(isType('run.completed')).length
    expect(frames.map(frame => frame.text)).toEqual(everywhere[0]?.map(frame => frame.text))
  }
  expect(ends).toBe(8)
  const log = await readLog(fleet, session)
  expect(log.map(rec => rec.seq)).toEqual(log.map((_, i) => i + 1))
  expect(everywhere[0]?.length).toBe(log.length)
})

const isClientPause = (data: { readonly type: string; readonly [field: string]: unknown }): boolean =>
  data.type === 'run.paused' && (data as unknown as Pending).pending[0]?.kind === 'client_tool'

test('a long answer is followed on another server while it streams, frame by frame and through two wires', async () => {
  const [first, second, third, fourth] = nodes
  const session = await newSession(first)
  const live = [
    watch(second, session, isType('run.completed')),
    watch(third, session, isType('done'), { wire: 'chat' }),
    watch(fourth, session, isType('run.completed')),
  ]
  say(first, session, '/long 300')
  const [canonical, chat, again] = await Promise.all(live)
  expect(canonical?.filter(isType('block.delta')).length).toBeGreaterThan(5)
  expect(again?.map(frame => frame.text)).toEqual(canonical?.map(frame => frame.text))
  const afterwards = await watch(first, session, isType('done'), { wire: 'chat' })
  expect(chat?.map(frame => frame.text)).toEqual(afterwards.map(frame => frame.text))
})

test('of the same answers given to four servers at once, one is recorded and all callers learn the same', async () => {
  const [first, second] = nodes
  for (let round = 0; round < 5; round++) {
    const session = await newSession(first, { permission_mode: 'default' })
    say(first, session, '/ask')
    const pause = (await watch(second, session, isType('run.paused'))).at(-1)?.data as unknown as Pending
    const id = pause.pending[0]?.id
    const answers = await Promise.all(
      nodes.map((node, i) =>
        ask<{ readonly first: boolean; readonly decision: string }>(node, `/api/approvals/${id}`, {
          decision: i % 2 === 0 ? 'approved' : 'denied',
        }),
      ),
    )
    expect(answers.filter(answer => answer.body.first)).toHaveLength(1)
    expect(answers.map(answer => [answer.status, answer.body.decision])).toEqual(
      answers.map(() => [200, answers.find(answer => answer.body.first)?.body.decision]),
    )
    await until(async () => (await readLog(fleet, session)).at(-1)?.ev.type === 'run.completed')
    const log = await readLog(fleet, session)
    expect(log.filter(rec => rec.ev.type === 'input.approval')).toHaveLength(1)
    expect(log.filter(rec => rec.ev.type === 'run.completed')).toHaveLength(1)
  }
})

test('messages sent to four servers at once are all answered, one after the other, each once', async () => {
  const [first] = nodes
  const session = await newSession(first)
  for (const [i, node] of [...nodes, ...nodes].entries()) say(node, session, `hello number ${i}`)
  const log = () => readLog(fleet, session)
  await until(async () => (await log()).filter(rec => rec.ev.type === 'run.completed').length === 8)
  const all = await log()
  expect(all.map(rec => rec.seq)).toEqual(all.map((_, i) => i + 1))
  expect(all.filter(rec => rec.ev.type === 'input.message')).toHaveLength(8)
  expect(all.filter(rec => rec.ev.type === 'run.started')).toHaveLength(8)
  expect(all.filter(rec => rec.ev.type === 'message.aborted')).toHaveLength(0)
})
