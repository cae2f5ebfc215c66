/** The check that a page makes against the schema that defines what it checks: field by field, and with any wound. */
import type { SessionEvent } from '@toolwire/core'
import { SessionEvent as Schema } from '@toolwire/core/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isWellFormed } from '../src/well-formed.ts'
import { BARE_EVENTS, type EventSample, OPEN, WHOLE_EVENTS } from './event-samples.ts'
import { fuzzing, mutatedJson } from './mutate.ts'

const fits = (value: unknown): boolean => isWellFormed(value as SessionEvent)
const isAllowed = (value: unknown): boolean => Schema.safeParse(value).success

test('there are samples of every type, and the schema allows them', () => {
  expect(new Set(WHOLE_EVENTS.map(({ type }) => type)).size).toBe(Schema.options.length)
  for (const sample of [...WHOLE_EVENTS, ...BARE_EVENTS])
    expect([sample, isAllowed(sample), fits(sample)]).toEqual([sample, true, true])
})

/** Every place in a value, from the outside in. */
function placesOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, inside]) => placesOf(inside, [...path, key]))]
}

function changed(
  root: EventSample,
  path: readonly string[],
  change: (at: object, key: string) => void,
): unknown {
  const copy: unknown = structuredClone(root)
  const holder = path.slice(0, -1).reduce((at, key) => Reflect.get(at as object, key) as unknown, copy)
  change(holder as object, path.at(-1) ?? '')
  return copy
}

const OTHERS: readonly unknown[] = [null, true, 7, 'word', [], {}, [7], ['word'], [null], { a: 1 }]

describe.for([...new Set(WHOLE_EVENTS.map(({ type }) => type))])('%s', type => {
  const samples = WHOLE_EVENTS.filter(sample => sample.type === type)
  const places = samples.flatMap(sample =>
    placesOf(sample)
      .slice(1)
      .map(path => ({ sample, path })),
  )

  test('with another value at any place is taken exactly when the schema allows it', () => {
    for (const { sample, path } of places)
      for (const other of OTHERS) {
        const wounded = changed(sample, path, (at, key) => Reflect.set(at, key, other))
        // Words from a list are the one point where the check is looser: newer servers know more of them.
        if (other === 'word' && !isAllowed(wounded) && isWord(sample, path)) expect(fits(wounded)).toBe(true)
        else expect([path, other, fits(wounded)]).toEqual([path, other, isAllowed(wounded)])
      }
  })

  test('without any one field is taken exactly when the schema allows it', () => {
    for (const { sample, path } of places) {
      // What may be anything may be nothing; and a list without one of its items is a list.
      if (isOpen(sample, path) || isItem(path)) continue
      const wounded = changed(sample, path, (at, key) => Reflect.deleteProperty(at, key))
      expect([path, fits(wounded)]).toEqual([path, isAllowed(wounded)])
    }
  })
})

const at = (sample: EventSample, path: readonly string[]): unknown =>
  path.reduce((value: unknown, key) => Reflect.get(value as object, key), sample)
const isWord = (sample: EventSample, path: readonly string[]): boolean => typeof at(sample, path) === 'string'
const isOpen = (sample: EventSample, path: readonly string[]): boolean =>
  JSON.stringify(at(sample, path)) === JSON.stringify(OPEN)
const isItem = (path: readonly string[]): boolean => /^\d+$/.test(path.at(-1) ?? '')

test('whatever the schema allows is taken, and nothing makes the check throw', () => {
  fc.assert(
    fc.property(mutatedJson(WHOLE_EVENTS), value => {
      const taken = fits(value)
      if (isAllowed(value)) expect(taken).toBe(true)
    }),
    fuzzing(2000),
  )
})

test('a type that is not known passes, and so does one that objects inherit', () => {
  for (const type of ['future.thing', 'constructor', '__proto__', 'toString'])
    expect(fits({ type, ts: 1 })).toBe(true)
})

test('a later version of a known type does not pass: old readers would misread it', () => {
  expect(fits({ type: 'note', ts: '', name: 'n', value: 1, v: 1 })).toBe(true)
  expect(fits({ type: 'note', ts: '', name: 'n', value: 1, v: 2 })).toBe(false)
})

test('data that is nested too deeply does not pass', () => {
  const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
  const note = (value: unknown): unknown => ({ type: 'note', ts: '', name: 'n', value })
  expect([fits(note(nested(999))), fits(note(nested(100_000)))]).toEqual([true, false])
})
