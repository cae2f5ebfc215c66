/** What the fold checks of an event, held against the schema that defines it and against what a page computes. */
import type { SessionEvent } from '@toolwire/core'
import { SessionEvent as Schema } from '@toolwire/core/schema'
import { describe, expect, test } from 'vitest'
import { EVERY, READERS } from '../../src/view/apply.ts'
import { applyRecord, emptyView, type SessionView } from '../../src/view/index.ts'
import { fits, type Shape } from '../../src/view/shape.ts'
import { BARE_EVENTS, type EventSample, WHOLE_EVENTS } from '../event-samples.ts'
import { changedAt, OTHERS, placesOf } from '../places.ts'
import { look } from './look.ts'

/** As the root agent reports it, except for events about an agent. */
const ofRoot = ({ agent_run_id, ...ev }: EventSample): EventSample =>
  ev.type.startsWith('agent.') ? { ...ev, agent_run_id } : ev
/** Of text and thinking the text is taken. */
const withoutText = ({ text: _, ...ev }: EventSample): EventSample => ev
const samples = [
  ...BARE_EVENTS,
  ...WHOLE_EVENTS.map(ofRoot),
  ...WHOLE_EVENTS.filter((ev, n) => WHOLE_EVENTS.findIndex(({ type }) => type === ev.type) === n),
  ...WHOLE_EVENTS.filter(({ type }) => type.startsWith('block.')).map(withoutText),
]
const readOf = new Map<string, Shape>(
  Object.entries(READERS).map(([type, [reads]]) => [type, reads as Shape]),
)
const isTaken = (ev: EventSample): boolean => fits(ev, EVERY as Shape) && fits(ev, readOf.get(ev.type) ?? {})
const isAllowed = (ev: EventSample): boolean => Schema.safeParse(ev).success
const record = (seq: number, ev: EventSample) => ({ seq, ev: ev as unknown as SessionEvent })

test('every type has a reader, but for six that nothing shows of', () => {
  const types = new Set(samples.map(({ type }) => type))
  expect([...types].filter(type => !readOf.has(type)).toSorted()).toEqual([
    'context.changed',
    'context.set',
    'history.compacted',
    'hook.answered',
    'run.resumed',
    'skill.loaded',
  ])
})

test('every honest event is taken', () => {
  for (const ev of samples) expect([ev, isTaken(ev)]).toEqual([ev, true])
})

/**
 * The way to a waiting call, without agents. The samples are about the same ids; their differences identify them.
 */
const WAY = [
  'session.created',
  'branch.opened',
  'branch.selected',
  'branch.selected',
  'agent.started',
  'input.message',
  'run.started',
  'turn.started',
  'message.started',
  'block.started',
  'block.delta',
  'block.completed',
  'tool.ready',
  'tool.approval_requested',
  'tool.client_requested',
]

const differing = (step: string, kind: string): object => {
  if (step === 'session.created') return { title: 'another' }
  if (step === 'branch.selected') return { branch_id: 'main' }
  if (step === 'input.message') return { message_id: 'another' }
  if (step === 'run.started') return { model: 'another' }
  return step === 'block.started' ? { kind } : {}
}

function beforeOf(type: string, kind: string): SessionView {
  const known = WAY.includes(type) ? WAY.slice(0, WAY.lastIndexOf(type)) : WAY
  const way = known.reduce((view, step) => {
    const { agent_run_id, ...sample } = WHOLE_EVENTS.find(whole => whole.type === step) ?? { type: step }
    const ev = { ...sample, ...differing(step, kind) }
    return applyRecord(view, record(view.head + 1, step === 'agent.started' ? { ...ev, agent_run_id } : ev))
  }, emptyView())
  return QUEUED.includes(type) ? applyRecord(way, record(way.head + 1, waiting)) : way
}

/** Events about a message that waits. */
const QUEUED = ['input.delivered', 'input.changed', 'input.withdrawn']
const { agent_run_id: _, ...waiting } = WHOLE_EVENTS.find(ev => ev.type === 'input.message') ?? {
  type: 'input.message',
}

/** Each sample with its result, with an open call and with an open text. */
const steps = samples.flatMap(ev =>
  ['tool_use', 'text'].map(kind => {
    const before = beforeOf(ev.type, kind)
    return { ev, before, after: applyRecord(before, record(before.head + 1, ev)) }
  }),
)

test.for([...readOf.keys()])('%s shows on the way to a call or a text', type => {
  const traces = steps.filter(({ ev, before, after }) => {
    return ev.type === type && JSON.stringify({ ...after, head: before.head }) !== JSON.stringify(before)
  })
  expect(traces.length).toBeGreaterThan(0)
})

/** Kept as it came, and nothing here reads it: parts of failures and tools, what may be anything, who decided. */
const COMES_ALONG = /\.(?:provider|http_status|request_id|strict|as_is)$|^(?:value|input|by)$/

describe.for([...readOf.keys()])('%s', type => {
  const cases = steps.filter(({ ev }) => ev.type === type)
  const eachWound = (
    then: (wounded: EventSample, step: (typeof steps)[number], place: string) => void,
  ): void => {
    for (const step of cases)
      for (const path of placesOf(step.ev).slice(1))
        if (path[0] !== 'type')
          for (const other of OTHERS) then(changedAt(step.ev, path, other), step, path.join('.'))
  }

  test('with anything at any place is taken wherever the schema allows it', () => {
    eachWound(wounded => {
      if (isAllowed(wounded)) expect([wounded, isTaken(wounded)]).toEqual([wounded, true])
    })
  })

  test('with anything at any place gives a view that a page can look at', () => {
    eachWound((wounded, { before }) => {
      const after = applyRecord(before, record(before.head + 1, wounded))
      expect(after.head).toBe(before.head + 1)
      if (isTaken(wounded) && !isAllowed(wounded)) look(after)
    })
  })

  test('leaves no trace of a field that is of another kind', () => {
    eachWound((wounded, { before, after }, place) => {
      // Words are taken as they are: newer servers know more of them.
      if (!isTaken(wounded) || isAllowed(wounded) || JSON.stringify(wounded).includes('"word"')) return
      if (COMES_ALONG.test(place)) return
      const view = applyRecord(before, record(before.head + 1, wounded))
      expect([wounded, JSON.stringify(view)]).toEqual([wounded, JSON.stringify(after)])
    })
  })
})

test('a later version of a known type is passed over: it would be misread', () => {
  const note = { type: 'note', ts: '', name: 'n', value: 1 }
  const notes = (v: number) => applyRecord(emptyView(), record(1, { ...note, v })).notes
  expect([notes(1), notes(2)]).toEqual([{ n: 1 }, {}])
})

test('a type that objects inherit is no type', () => {
  for (const type of ['constructor', '__proto__', 'toString'])
    expect(applyRecord(emptyView(), record(1, { type, ts: '' }))).toEqual({ ...emptyView(), head: 1 })
})
