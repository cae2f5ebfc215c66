import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderCatalogue } from '../../src/skills/catalogue.ts'

const skills = (count: number, length: number) =>
  Array.from({ length: count }, (_, n) => ({
    name: `skill-${String(n).padStart(3, '0')}`,
    description: 'd'.repeat(length),
  }))

test('is empty without skills', () => {
  expect(renderCatalogue([], 200_000)).toEqual({ text: '', names: [] })
})

test('has whole descriptions where they fit', () => {
  const { text, names } = renderCatalogue(skills(2, 30), 200_000)
  expect(text).toContain(`- skill-000: ${'d'.repeat(30)}\n- skill-001: ${'d'.repeat(30)}`)
  expect(names).toEqual(['skill-000', 'skill-001'])
})

test('shortens the descriptions of 300 skills evenly, within 1 % of the window', () => {
  const { text, names } = renderCatalogue(skills(300, 500), 400_000)
  expect(text.length).toBeLessThanOrEqual(16_000)
  expect(names).toHaveLength(300)
  const lines = text.split('\n').filter(line => line.startsWith('- '))
  expect(new Set(lines.map(line => line.length)).size).toBe(1)
  expect(text).toContain('300 descriptions are shortened.')
})

test('leaves descriptions out before names, and says so', () => {
  const { text, names } = renderCatalogue(skills(100, 500), 64_000)
  expect(text.length).toBeLessThanOrEqual(2_560)
  expect(names).toHaveLength(100)
  expect(text).not.toContain('dd')
  expect(text).toContain('descriptions are left out')
})

test('leaves out the last names at last, in at least 2,000 characters', () => {
  const { text, names } = renderCatalogue(skills(500, 500), 1_000)
  expect(text.length).toBeLessThanOrEqual(2_000)
  expect(text.length).toBeGreaterThan(1_900)
  expect(text).toContain(`${500 - names.length} more skills are not listed`)
})

test('never exceeds its room, whatever the skills are', () => {
  const skill = fc.record({
    name: fc.stringMatching(/^[a-z0-9-]{1,64}$/),
    description: fc.string({ minLength: 1, maxLength: 1_024, unit: 'grapheme' }),
  })
  fc.assert(
    fc.property(fc.array(skill, { maxLength: 120 }), fc.integer({ min: 0, max: 300_000 }), (all, window) => {
      const { text, names } = renderCatalogue(all, window)
      expect(text.length).toBeLessThanOrEqual(Math.max(2_000, Math.floor(window * 0.04)))
      for (const name of names) expect(text).toContain(`- ${name}`)
    }),
    { numRuns: 60 },
  )
})
