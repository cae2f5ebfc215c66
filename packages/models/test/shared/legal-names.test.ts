/**
 * Names and ids in a provider's alphabet: legal ones stay, others are mapped uniquely, and nothing depends on the
 * other names.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createNameMap, toLegalId } from '../../src/shared/legal-names.ts'

const name = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom('a.b', 'a/b', 'a b', 'a_b', '天气', '', 'x'.repeat(200), `${'x'.repeat(199)}y`, 'Read'),
)
const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/

it('names are legal, one to one, lead back, and never change when they were legal', () => {
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 12 }), names => {
      const map = createNameMap(names, 64)
      const wire = names.map(map.toWire)
      expect(new Set(wire).size).toBe(names.length)
      expect(wire.map(map.fromWire)).toEqual(names)
      for (const [place, one] of names.entries()) {
        expect(wire[place]).toMatch(LEGAL)
        if (LEGAL.test(one)) expect(wire[place]).toBe(one)
      }
    }),
  )
})

it('a name has the same replacement in every request of a session, whatever other tools there are, in any order', () => {
  fc.assert(
    fc.property(name, fc.array(name), fc.array(name), (one, before, after) => {
      const early = createNameMap([one, ...before], 64)
      const late = createNameMap([...after, one], 64)
      expect(late.toWire(one)).toBe(early.toWire(one))
    }),
  )
})

it('ids are legal, stay when they were, and differ when they differed', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(toLegalId(a)).toMatch(LEGAL)
      if (LEGAL.test(a)) expect(toLegalId(a)).toBe(a)
      if (a !== b) expect(toLegalId(a)).not.toBe(toLegalId(b))
    }),
  )
  expect(toLegalId('functions.Bash:0')).not.toBe(toLegalId('functions_Bash_0'))
})
