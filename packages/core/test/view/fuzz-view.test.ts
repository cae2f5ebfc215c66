/**
 * Logs with random damage, folded into a view: nothing is thrown, the position only moves forward, portions and
 * repetitions change nothing, and the view is no larger than its input allows. The same holds for what a page
 * computes from the view.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ArgumentDeduplicator } from '../../src/argument-deduplicator.ts'
import { applyRecord, applyRecords, emptyView, readEnvelope, type ViewRecord } from '../../src/view/index.ts'
import { bombed } from '../bombs.ts'
import { BARE_EVENTS, WHOLE_EVENTS } from '../event-samples.ts'
import { fuzzing } from '../mutate.ts'
import { woundedRecords } from '../wounded-records.ts'
import { look } from './look.ts'
import { Script } from './script.ts'

function talk(): Script {
  const script = new Script().created().ask('hi').turn('m1').text('m1', 0, ['Hel', 'lo'])
  script.call('m1', 1, 'c1').add('tool.started', { call_id: 'c1', attempt: 1 })
  script.add('tool.progress', { call_id: 'c1', output_delta: 'a\nb\n', progress: 1, total: 2 })
  script.add('tool.completed', {
    call_id: 'c1',
    content: [{ type: 'text', text: 'done' }],
    output_text: 'done',
    is_error: false,
    duration_ms: 5,
  })
  return script.endTurn('m1', 0.25).completeRun(0.25)
}
const every = [...WHOLE_EVENTS, ...BARE_EVENTS].map((ev, n) => ({ seq: n + 1, ev }))
const logs = [talk().records, every]

const recordsOf = (values: readonly unknown[]): readonly ViewRecord[] =>
  values.flatMap(value => readEnvelope(value) ?? [])

describe('a wounded log', () => {
  test('becomes a view, whose place only moves forward', () => {
    fc.assert(
      fc.property(woundedRecords(logs), values => {
        let view = emptyView()
        for (const rec of recordsOf(values)) {
          const { head } = view
          view = applyRecord(view, rec)
          expect(view.head).toBe(Math.max(head, rec.seq))
        }
        look(view)
      }),
      fuzzing(600),
    )
  })

  test('becomes the same view in any portions and with repetitions', () => {
    fc.assert(
      fc.property(woundedRecords(logs), fc.nat({ max: 40 }), (values, cut) => {
        const records = recordsOf(values)
        const once = applyRecords(emptyView(), records)
        const first = applyRecords(emptyView(), records.slice(0, cut))
        const twice = applyRecords(applyRecords(first, records.slice(0, cut)), records.slice(cut))
        expect(JSON.stringify(twice)).toBe(JSON.stringify(once))
      }),
      fuzzing(200),
    )
  })

  test('becomes a view that is not larger than its input', () => {
    fc.assert(
      fc.property(woundedRecords(logs), values => {
        const size = JSON.stringify(values).length
        const view = JSON.stringify(applyRecords(emptyView(), recordsOf(values)))
        expect(view.length).toBeLessThanOrEqual(4000 + 10 * size)
      }),
      fuzzing(200),
    )
  })
})

test('an event without what its type promises moves the place on and breaks nothing', () => {
  const before = applyRecords(emptyView(), talk().records)
  for (const { type } of BARE_EVENTS) {
    const after = applyRecord(before, { seq: before.head + 1, ev: { type, ts: 7 } as never })
    expect([type, after.head]).toEqual([type, before.head + 1])
  }
})

test.for([0, -1, 0.5, 1e308, Number.POSITIVE_INFINITY, null, '1', [1]])(
  '%j is no number of a record',
  seq => {
    expect(readEnvelope({ seq, type: 'note', ts: '', name: 'n', value: 1 })).toBeUndefined()
  },
)

test('a bomb in any event is folded or skipped, and can be serialized', () => {
  fc.assert(
    fc.property(bombed(WHOLE_EVENTS), text => {
      let value: unknown
      try {
        value = { ...(JSON.parse(text) as object), seq: 100 }
      } catch {
        return
      }
      const view = applyRecords(emptyView(), [...talk().records, ...recordsOf([value])])
      look(view)
      expect(JSON.stringify(view).length).toBeLessThanOrEqual(20_000 + 10 * text.length)
    }),
    fuzzing(60),
  )
})

test('of an event that is nested too deeply only the place counts', () => {
  const created = talk().records[0]
  if (!created) throw new Error('a log has a first record')
  const cwd: unknown = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
  const wounded = { seq: 100, ev: { ...created.ev, cwd } } as unknown as ViewRecord
  const view = applyRecords(emptyView(), [...talk().records, wounded])
  expect(view).toEqual({ ...applyRecords(emptyView(), talk().records), head: 100 })
})

test('arguments that were left out are filled in, or said to be missing', () => {
  const omitted = fc.constantFrom<unknown>(['input_text'], ['input'], ['type'], 'input', 5, {}, null, [null])
  fc.assert(
    fc.property(woundedRecords(logs), omitted, (values, names) => {
      const told = new ArgumentDeduplicator()
      for (const { seq, ev } of recordsOf(values))
        try {
          told.restoreOmitted((seq % 3 === 0 ? { ...ev, omitted: names } : ev) as typeof ev)
        } catch (error) {
          expect((error as Error).message).toBe('Arguments are left out.')
        }
    }),
    fuzzing(300),
  )
})
