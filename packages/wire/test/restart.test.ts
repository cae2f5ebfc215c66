/** The state of a session is the same bytes whether its events come from memory or from disk. */
import { evolve, initial, modelHistory, type Rec, type SessionState } from '@toolwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { randomLog } from './random-log.ts'

const fold = (records: readonly Rec[], from = initial()): SessionState => records.reduce(evolve, from)
const reread = (records: readonly Rec[]): readonly Rec[] => JSON.parse(JSON.stringify(records)) as Rec[]
const bytesOf = (state: SessionState): string => JSON.stringify([state, modelHistory(state)])

test('folds every prefix to the same bytes after a restart', () => {
  fc.assert(
    fc.property(fc.integer(), seed => {
      const records = randomLog(seed)
      const stored = reread(records)
      let live = initial()
      let read = initial()
      for (const [place, record] of records.entries()) {
        live = evolve(live, record)
        read = evolve(read, stored[place] as Rec)
        expect(bytesOf(read), `after ${record.ev.type}`).toBe(bytesOf(live))
      }
    }),
    { numRuns: 60 },
  )
})

test('continues from a restart at any position to the same bytes', () => {
  fc.assert(
    fc.property(fc.integer(), fc.nat(), (seed, where) => {
      const records = randomLog(seed)
      const cut = where % (records.length + 1)
      const resumed = fold(records.slice(cut), fold(reread(records.slice(0, cut))))
      expect(bytesOf(resumed)).toBe(bytesOf(fold(records)))
    }),
    { numRuns: 200 },
  )
})

test('keeps the place of a client tool whose definition changes', () => {
  const [created, ...rest] = randomLog(1)
  const tool = (name: string, description: string) => ({ name, description, input_schema: {} })
  const started = (seq: number, tools: readonly ReturnType<typeof tool>[]): Rec => ({
    ...(rest[0] as Rec),
    seq,
    ev: {
      type: 'run.started',
      ts: '',
      run_id: `r${seq}`,
      conversation_id: 'c',
      trigger: 'message',
      client_tools: [...tools],
      model: 'demo',
    },
  })
  const state = fold([
    created as Rec,
    started(2, [tool('a', 'old'), tool('b', 'old')]),
    started(3, [tool('c', 'new'), tool('a', 'new')]),
  ])
  expect(state.known_tools?.map(({ name, description }) => `${name} ${description}`)).toEqual([
    'a new',
    'b old',
    'c new',
  ])
})
