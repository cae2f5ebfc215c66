/** What is looked up after a soak: each thing that must be there is missed when it is not. */
import type { Rec } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { createFoundAgain, type SeenText, type Taken } from './found-again.ts'

const message = (text: string) => ({ type: 'input.message', content: [{ type: 'text', text }] })
const result = (result_text: string) => ({ type: 'run.completed', result_text })
const deltas = (message_id: string, ...texts: readonly string[]) => [
  { type: 'block.started', block_id: `${message_id}.0`, message_id },
  ...texts.map(text => ({ type: 'block.delta', block_id: `${message_id}.0`, text })),
]

/** The problems of one log under what was taken, seen and done. */
function problemsOf(
  events: readonly object[],
  given: {
    readonly taken?: readonly Taken[]
    readonly seen?: readonly SeenText[]
    readonly effects?: Readonly<Record<string, number>>
  },
): readonly string[] {
  const found = createFoundAgain(given.taken ?? [], given.seen ?? [])
  found.look('s', events.map((ev, i) => ({ seq: i + 1, epoch: 1, ev })) as unknown as readonly Rec[])
  return found.end(new Map(Object.entries(given.effects ?? {})))
}

describe('what was acknowledged', () => {
  const cases: readonly (readonly [Taken, object])[] = [
    [{ type: 'message', text: 'hello' }, message('hello')],
    [
      { type: 'approval', approval_id: 'a' },
      { type: 'tool.approval_resolved', approval_id: 'a', decision: 'approved' },
    ],
    [
      { type: 'output', call_id: 'c', text: 'shown' },
      { type: 'tool.completed', call_id: 'c', output_text: 'shown' },
    ],
  ]
  test.for(cases)('%o is in the log once', ([one, event]) => {
    expect(problemsOf([event], { taken: [one] })).toEqual([])
    expect(problemsOf([], { taken: [one] })).toEqual([expect.stringMatching(/is 0 times in the log$/)])
    expect(problemsOf([event, event], { taken: [one] })).toEqual([
      expect.stringMatching(/is 2 times in the log$/),
    ])
  })

  test('an approval that was taken as a refusal does not count', () => {
    const denied = { type: 'tool.approval_resolved', approval_id: 'a', decision: 'denied' }
    expect(problemsOf([denied], { taken: [{ type: 'approval', approval_id: 'a' }] })).toHaveLength(1)
  })

  test('an answer is the one that its run came to', () => {
    const taken: readonly Taken[] = [{ type: 'answer', message: 'hello', text: 'good day' }]
    expect(problemsOf([message('hello'), result('good day')], { taken })).toEqual([])
    expect(problemsOf([message('hello'), result('good')], { taken })).toHaveLength(1)
    expect(problemsOf([message('hello')], { taken })).toHaveLength(1)
    expect(problemsOf([message('other')], { taken })).toEqual(['the message "hello" has no log'])
  })
})

test('the text of a stream is the start of a message in its log, complete or aborted', () => {
  const log = [...deltas('m1', 'one', ' two'), ...deltas('m2', 'three')]
  const of = (text: string, session = 's') => problemsOf(log, { seen: [{ session, text }] })
  for (const text of ['one', 'one two', 'three', 'th']) expect(of(text)).toEqual([])
  expect(of('one two three')).toEqual(['s: 13 characters were streamed that the log does not have'])
  expect(of('two')).toHaveLength(1)
  expect(of('one', 'other')).toEqual(['other streamed and has no log'])
})

describe('a write', () => {
  const ready = { type: 'tool.ready', call_id: 'c', input_text: '{"command":"echo w1 >> effects.txt"}' }
  const failed = (layer: string) => ({ type: 'tool.failed', call_id: 'c', error: { layer } })
  const done = { type: 'tool.completed', call_id: 'c', output_text: '', is_error: false }
  const ends = [
    ['that is told as done happened exactly once', done, [1]],
    ['with an unknown outcome happened at most once', failed('execution'), [0, 1]],
    ['that was stopped happened at most once', failed('aborted'), [0, 1]],
    ['that ended with an error happened at most once', { ...done, is_error: true }, [0, 1]],
    ['that was denied never happened', failed('permission'), [0]],
  ] as const
  test.for(ends)('%s', ([, end, right]) => {
    for (const count of [0, 1, 2]) {
      const effects: Record<string, number> = count === 0 ? {} : { w1: count }
      const isRight = (right as readonly number[]).includes(count)
      expect([count, problemsOf([ready, end], { effects }).length]).toEqual([count, isRight ? 0 : 1])
    }
  })

  test('that no call asked for is found, and one that two calls asked for', () => {
    expect(problemsOf([], { effects: { w1: 1 } })).toEqual(['write w1 was done without a call'])
    const found = createFoundAgain([], [])
    const log = [ready, done].map((ev, i) => ({ seq: i + 1, epoch: 1, ev })) as unknown as readonly Rec[]
    found.look('s', log)
    found.look('t', log)
    expect(found.end(new Map([['w1', 1]]))).toEqual(['t: write w1 was called for twice'])
    expect(found.writes()).toEqual({ done: 1, unknown: 0 })
  })
})
