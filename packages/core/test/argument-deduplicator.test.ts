import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ArgumentDeduplicator, MissingArgumentsError } from '../src/argument-deduplicator.ts'
import type { SessionEvent } from '../src/event.ts'

const ts = '2026-01-01T00:00:00.000Z'
const large = (seed: string, length = 5000): string => JSON.stringify({ body: seed.padEnd(length, 'ä"\n') })

/** What a log says of one call: `said` by its deltas, `whole` at the end of its block, `taken` by the tool. */
interface Spoken {
  readonly call_id: string
  readonly said: readonly string[]
  readonly whole: string
  readonly taken: string
  readonly input: unknown
}

function eventsOf({ call_id, said, whole, taken, input }: Spoken, n: number): SessionEvent[] {
  const block_id = `b${n}`
  const tool = { call_id, name: 'Write', tool_type: 'builtin', executor: 'server' } as const
  const started = {
    type: 'block.started',
    ts,
    message_id: 'm',
    block_id,
    index: n,
    run_index: n,
    kind: 'tool_use',
    tool,
  } as const
  let offset = 0
  const deltas = said.map((input_text): SessionEvent => {
    const delta = { type: 'block.delta', ts, block_id, offset, input_text } as const
    offset += input_text.length
    return delta
  })
  const item = { kind: 'approval', id: `a${n}`, call_id, name: 'Write', input_text: taken } as const
  return [
    started,
    ...deltas,
    { type: 'block.completed', ts, block_id, input_text: whole },
    { type: 'tool.ready', ts, ...tool, input_text: taken, input },
    { type: 'tool.client_requested', ts, call_id, name: 'Write', input_text: taken },
    { type: 'run.paused', ts, reason: 'tool_approval_required', pending: [item, { ...item, id: 'other' }] },
  ]
}

const plain = (call_id: string, text: string): Spoken => ({
  call_id,
  said: text.match(/[\s\S]{1,700}/g) ?? [],
  whole: text,
  taken: text,
  input: JSON.parse(text),
})

/** What arrives at the other end of a connection. */
const carried = (ev: unknown): SessionEvent => JSON.parse(JSON.stringify(ev)) as SessionEvent

function pass(events: readonly SessionEvent[], sender = new ArgumentDeduplicator()) {
  const receiver = new ArgumentDeduplicator()
  const sent = events.map(ev => carried(sender.omitRepeated(ev)))
  return { sent, got: sent.map(ev => receiver.restoreOmitted(ev)) }
}

describe('arguments that a stream has carried', () => {
  it('are carried once, and the receiver has every event as the log has it', () => {
    const text = large('x', 100_000)
    const events = eventsOf(plain('c', text), 0)
    const { sent, got } = pass(events)
    expect(got).toEqual(events)
    expect(JSON.stringify(sent).length).toBeLessThan(1.2 * JSON.stringify(text).length + 200 * sent.length)
    expect(sent.slice(-4)).toEqual([
      { type: 'block.completed', ts, block_id: 'b0', omitted: ['input_text'] },
      expect.objectContaining({ type: 'tool.ready', omitted: ['input_text', 'input'] }),
      expect.objectContaining({ type: 'tool.client_requested', omitted: ['input_text'] }),
      expect.objectContaining({
        pending: [
          { kind: 'approval', id: 'a0', call_id: 'c', name: 'Write', omitted: ['input_text'] },
          expect.objectContaining({ id: 'other', omitted: ['input_text'] }),
        ],
      }),
    ])
  })

  it('are repeated when they are short', () => {
    const events = eventsOf(plain('c', '{"a":1}'), 0)
    expect(pass(events).sent).toEqual(events)
  })

  it('are sent whole where the tool takes others than the model wrote', () => {
    const text = large('x')
    const spoken = { ...plain('c', text), taken: text.replace('x', 'y'), input: { edited: true } }
    const { sent, got } = pass(eventsOf(spoken, 0))
    expect(got).toEqual(eventsOf(spoken, 0))
    expect(sent.find(ev => ev.type === 'tool.ready')).toMatchObject({
      input_text: spoken.taken,
      input: { edited: true },
    })
  })

  it('are sent whole when they are more than the sender remembers', () => {
    const events = eventsOf(plain('c', large('x', 9000)), 0)
    expect(pass(events, new ArgumentDeduplicator(8000)).sent).toEqual(events)
    const two = [...eventsOf(plain('c', large('x', 5000)), 0), ...eventsOf(plain('d', large('y', 5000)), 1)]
    expect(pass(two, new ArgumentDeduplicator(6000)).got).toEqual(two)
  })

  it('are not known any more when the call or its run has ended', () => {
    const events = eventsOf(plain('c', large('x')), 0)
    const ready = events.find(ev => ev.type === 'tool.ready') as SessionEvent
    const over = { run_id: 'r', ts, usage_by_model: [], duration_ms: 1, num_turns: 1 }
    for (const end of [
      {
        type: 'tool.failed',
        ts,
        call_id: 'c',
        error: { layer: 1, code: 'x', message: 'x', retryable: false },
      },
      { type: 'run.cancelled', reason: 'user', ...over },
    ] as unknown as SessionEvent[]) {
      const { sent } = pass([...events, end, ready])
      expect(sent.at(-1)).toEqual(ready)
    }
  })

  it('that were never carried cannot be referred to', () => {
    const event = { type: 'tool.ready', ts, call_id: 'c', omitted: ['input_text'] } as unknown as SessionEvent
    expect(() => new ArgumentDeduplicator().restoreOmitted(event)).toThrow(MissingArgumentsError)
  })

  it('come out whole whatever the log says and wherever the connection is cut', () => {
    const text = fc.nat({ max: 3 }).map(n => large('abcd'[n] ?? 'a', 3000 + 1000 * n))
    const spoken = fc
      .record({
        id: fc.constantFrom('c', 'd'),
        text,
        other: text,
        odd: fc.nat({ max: 5 }),
        cut: fc.nat({ max: 4000 }),
      })
      .map(({ id, text: base, other, odd, cut }): Spoken => {
        const said = [base.slice(0, cut), base.slice(cut)]
        const input: unknown = JSON.parse(base)
        if (odd === 1) return { call_id: id, said, whole: other, taken: other, input: JSON.parse(other) }
        if (odd === 2) return { call_id: id, said, whole: base, taken: other, input }
        if (odd === 3) return { call_id: id, said: said.slice(1), whole: base, taken: base, input }
        if (odd === 4) return { call_id: id, said, whole: base.slice(1), taken: base.slice(1), input: {} }
        return { call_id: id, said, whole: base, taken: base, input }
      })
    fc.assert(
      fc.property(
        fc.array(spoken, { minLength: 1, maxLength: 4 }),
        fc.infiniteStream(fc.nat(9)),
        (calls, cuts) => {
          const events = calls.flatMap((call, n) => eventsOf(call, n))
          const receiver = new ArgumentDeduplicator()
          let sender = new ArgumentDeduplicator(20_000)
          for (const ev of events) {
            if (cuts.next().value === 0) sender = new ArgumentDeduplicator(20_000)
            expect(receiver.restoreOmitted(carried(sender.omitRepeated(ev)))).toEqual(carried(ev))
          }
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('what no honest sender says', () => {
  const text = JSON.stringify({ a: 'x'.repeat(5000) })
  const knowing = (): ArgumentDeduplicator => {
    const told = new ArgumentDeduplicator()
    told.restoreOmitted({ ...READY, input_text: text, input: {} })
    return told
  }
  const READY = {
    type: 'tool.ready',
    ts: '',
    call_id: 'c',
    name: 'n',
    tool_type: 'builtin',
    executor: 'server',
  } as const

  it.for<unknown>([['type'], ['input_text', 'call_id'], ['__proto__'], [null], 'input', 5, {}, true])(
    'that %j was left out is not taken',
    omitted => {
      expect(() => knowing().restoreOmitted({ ...READY, omitted } as never)).toThrow(MissingArgumentsError)
    },
  )

  it('arguments that are no JSON cannot be read into a value', () => {
    const told = new ArgumentDeduplicator()
    told.restoreOmitted({ ...READY, input_text: 'x'.repeat(5000), input: {} })
    expect(() => told.restoreOmitted({ ...READY, omitted: ['input_text', 'input'] } as never)).toThrow(
      MissingArgumentsError,
    )
  })

  it.for<object>([
    { ...READY, input_text: null },
    { type: 'run.paused', ts: '', pending: null },
    { type: 'run.paused', ts: '', pending: [null, { omitted: [] }] },
    { type: 'block.started', ts: '', block_id: 'b', tool: 7 },
    { type: 'block.delta', ts: '', block_id: 'b', input_text: {} },
  ])('an event of another shape, %j, comes out as it is and teaches nothing', ev => {
    const told = knowing()
    expect(told.restoreOmitted(ev as never)).toBe(ev)
    expect(told.restoreOmitted({ ...READY, omitted: ['input_text'] } as never)).toMatchObject({
      input_text: text,
    })
  })
})
