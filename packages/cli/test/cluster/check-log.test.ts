/** What the checker of logs takes, and what it finds. */
import type { Rec } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { checkLog } from './check-log.ts'

const at = { ts: '', run_id: 'r' }
const started = { ...at, type: 'run.started' }
const ended = { ...at, type: 'run.completed' }
const call = (type: string, call_id = 'c') => ({ ...at, type, call_id })
const block = (message_id: string, call_id = 'c') => ({
  ...at,
  type: 'block.started',
  kind: 'tool_use',
  message_id,
  tool: { call_id },
})
const paused = (...pending: readonly object[]) => ({ ...at, type: 'run.paused', pending })
const check = (...events: readonly object[]): readonly string[] =>
  checkLog('s', events.map((ev, i) => ({ seq: i + 1, epoch: 1, ev })) as unknown as readonly Rec[])

test('gaps and epochs that go back are found', () => {
  const records = [1, 2].map(seq => ({ seq, epoch: 3 - seq, ev: { ts: '', type: 'note', name: 'n' } }))
  expect(checkLog('s', records as unknown as readonly Rec[])).toEqual(['s: event 2 has epoch 1 after 2'])
  expect(checkLog('s', records.slice(1) as unknown as readonly Rec[])).toEqual(['s: event 1 is numbered 2'])
})

test('a run that ends twice or never is found', () => {
  expect(check(started, ended)).toEqual([])
  expect(check(started)).toEqual(['s: run r has 0 ends'])
  expect(check(started, ended, ended)).toEqual(['s: run r has 2 ends'])
})

describe('a call', () => {
  test('that ends once is sound, and one that ends twice is found', () => {
    expect(check(started, call('tool.started'), call('tool.completed'), ended)).toEqual([])
    expect(check(started, call('tool.completed'), call('tool.failed'), ended)).toEqual([
      's: call c has 2 ends',
    ])
  })

  test.for(['tool.ready', 'tool.approval_requested', 'tool.client_requested', 'tool.queued', 'tool.started'])(
    'that got as far as %s and never ended is found',
    type => {
      expect(check(started, call(type), ended)).toEqual(['s: call c never ended'])
    },
  )

  test('in its message alone needs an end, unless that message was aborted', () => {
    const aborted = (message_id: string) => ({ ...at, type: 'message.aborted', message_id })
    expect(check(started, block('m'), ended)).toEqual(['s: call c never ended'])
    expect(check(started, block('m'), call('tool.ready'), aborted('m'), ended)).toEqual([])
    expect(check(started, block('m'), aborted('other'), ended)).toEqual(['s: call c never ended'])
  })

  test('may be open only while its run is paused for it', () => {
    const ready = call('tool.ready')
    const other = { ...at, run_id: 'r2' }
    expect(check(started, ready, paused({ call_id: 'c' }))).toEqual([])
    expect(check(started, ready, paused({ call_id: 'other' }))).toEqual(['s: call c never ended'])
    const goesOn = { ...other, type: 'run.started' }
    const over = { ...other, type: 'run.completed' }
    expect(check(started, ready, paused({ call_id: 'c' }), goesOn, over)).toEqual(['s: call c never ended'])
    expect(check(started, ready, call('tool.completed'), paused({ call_id: 'c' }))).toEqual([
      's: call c is waited for and has ended',
    ])
  })

  test('that must come after a waiting one may be open with it', () => {
    const note = { ...at, type: 'note', name: 'held:d', value: ['c'] }
    const both = [call('tool.ready'), call('tool.ready', 'd')]
    expect(check(started, ...both, note, paused({ call_id: 'c' }))).toEqual([])
    expect(check(started, ...both, paused({ call_id: 'c' }))).toEqual(['s: call d never ended'])
  })
})

describe('a subagent', () => {
  const begun = { ...at, type: 'agent.started', agent_run_id: 'a', parent_call_id: 'c' }
  const finished = { ...at, type: 'agent.finished', agent_run_id: 'a' }

  test('that finishes once is sound, and one that finishes twice or never is found', () => {
    expect(check(begun, finished)).toEqual([])
    expect(check(begun)).toEqual(['s: agent a has 0 ends'])
    expect(check(begun, finished, finished)).toEqual(['s: agent a has 2 ends'])
    expect(check(begun, begun, finished)).toEqual(['s: agent a has 2 beginnings'])
  })

  test('that waits may be open, and with it the call that works through it', () => {
    const waits = { ...paused({ call_id: 'd' }), agent_run_id: 'a' }
    const log = [started, call('tool.started'), begun, { ...call('tool.ready', 'd'), agent_run_id: 'a' }]
    expect(check(...log, waits, paused({ call_id: 'd' }))).toEqual([])
    expect(check(...log, ended)).toEqual([
      's: agent a has 0 ends',
      's: call c never ended',
      's: call d never ended',
    ])
  })
})
