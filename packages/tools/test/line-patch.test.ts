/** Patches that lead from one text to the other, whatever the texts, and in bounded time. */
import { applyPatch, createTwoFilesPatch, formatPatch } from 'diff'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeChange } from '../src/files/describe-change.ts'
import { linePatch } from '../src/files/line-patch.ts'

const patch = (before: string, after: string, context = 3): string =>
  formatPatch(linePatch({ before, after, oldName: 'a', newName: 'b', context }))
const lines = (count: number, word: string): string =>
  Array.from({ length: count }, (_, n) => `${word} ${n}\n`).join('')

test('small changes are shown in the shortest way', () => {
  const line = fc.constantFrom('a', 'b', 'c', '')
  const text = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
    .map(([all, end]) => all.join('\n') + (end ? '\n' : ''))
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(patch(before, after)).toBe(createTwoFilesPatch('a', 'b', before, after, '', '', { context: 3 }))
    }),
  )
})

test('where too much differs everything between is replaced, and the patch leads there all the same', () => {
  const edge = fc.constantFrom('', 'x', 'x\n', 'same\n', 'same\nsame\nsame\nsame\nsame\n')
  fc.assert(
    fc.property(edge, edge, edge, fc.nat({ max: 3 }), (head, tail, other, context) => {
      const before = head + lines(700, 'old') + tail
      const after = head + lines(700, 'new') + other
      expect(applyPatch(before, patch(before, after, context))).toBe(after)
    }),
    { numRuns: 60 },
  )
})

test('a new file and an emptied one have a patch too', () => {
  const many = lines(3000, 'line')
  expect(applyPatch('', patch('', many))).toBe(many)
  expect(applyPatch(many, patch(many, ''))).toBe('')
})

// The shortest way between these takes minutes.
test('a file that is rewritten from end to end is described', () => {
  const { gitDiff, structuredPatch } = describeChange('/a', 'a\n'.repeat(99_000), 'b\n'.repeat(99_000))
  expect(structuredPatch).toHaveLength(1)
  expect(gitDiff.split('\n').filter(line => line === '+b')).toHaveLength(99_000)
})
