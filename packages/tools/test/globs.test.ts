/** Globs walked without an expression: the same as picomatch finds, and never without end. */
import fc from 'fast-check'
import picomatch from 'picomatch'
import { describe, expect, test } from 'vitest'
import { globMatcher } from '../src/globs/glob-matcher.ts'
import { parseGlob } from '../src/globs/parse-glob.ts'
import { toStates, walkGlob } from '../src/globs/walk-glob.ts'

const walked = (glob: string, path: string): boolean | undefined => {
  const steps = parseGlob(glob.replace(/^\.\//, ''))
  return steps && walkGlob(toStates(steps), path)
}

const name = fc.stringMatching(/^[ab.]{1,4}$/).filter(text => !/^\.\.?$/.test(text))
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map(names => names.join('/'))
const segment = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      '.',
      '*',
      '?',
      '[ab]',
      '[^a]',
      '[a-b.]',
      '{a,b}',
      '{a*,.b}',
      '@(a|b.)',
      '+(a|b)',
      '?(a)',
      '*(ab)',
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map(parts => parts.join(''))
  // Dots, two stars beside each other, and names that may be empty have no use; picomatch reads `)?` as an option.
  .filter(
    text =>
      !/^[.]+$/.test(text) &&
      !text.includes('**') &&
      !/^(?:[*]|[?*]\([^)]*\)[?*]?|(?:[@+]\([^)]*\)|\{[^}]*\})[?*])+$/.test(text.replace(/^\*$/, 'a')),
  )
const glob = fc
  .array(fc.oneof({ weight: 3, arbitrary: segment }, { weight: 1, arbitrary: fc.constant('**') }), {
    minLength: 1,
    maxLength: 4,
  })
  .map(segments => segments.join('/'))
  .filter(text => !text.includes('**/**'))

describe('a glob that is walked', () => {
  test('finds what picomatch finds', () => {
    fc.assert(
      fc.property(glob, path, (pattern, given) => {
        const found = walked(pattern, given)
        expect([pattern, given, found]).toEqual([pattern, given, picomatch(pattern, { dot: true })(given)])
      }),
      { numRuns: 20_000 },
    )
  })

  test.for<readonly [glob: string, path: string, fits: boolean]>([
    ['src/**', 'src', true],
    ['src/**', 'src/a/b.ts', true],
    ['src/**', 'srcs/a', false],
    ['**', 'a/b/c', true],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'a/b/.c.ts', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'ab', false],
    ['*.{ts,tsx}', 'a.tsx', true],
    ['\\*a', '*a', true],
    ['\\*a', 'ba', false],
  ])('%s and %s: %s', ([pattern, given, fits]) => {
    expect([walked(pattern, given), picomatch(pattern, { dot: true })(given)]).toEqual([fits, fits])
  })
})

// A regular expression would take practically forever for each of these.
test.for<readonly [glob: string, path: string, fits: boolean]>([
  [`${'*a'.repeat(20)}*b`, 'a'.repeat(250), false],
  [`${'*a'.repeat(20)}*`, 'a'.repeat(250), true],
  [`${'**/a/'.repeat(12)}b`, 'a/'.repeat(2000), false],
  [`${'**/a/'.repeat(12)}b`, `${'a/'.repeat(2000)}b`, true],
  ['+(+(a|aa)+(a|aa))b', 'a'.repeat(250), false],
  [`{${'*a'.repeat(10)},${'*a'.repeat(11)}}*b`, 'a'.repeat(250), false],
  [`!${'*a'.repeat(20)}*b`, 'a'.repeat(250), true],
  [`!(x)${'*a'.repeat(20)}*b`, 'a'.repeat(250), false],
  ['*(*a)b', 'a'.repeat(250), false],
  ['+(a*)b', `${'a'.repeat(250)}b`, true],
  ['*(a|*a)x', 'a'.repeat(250), false],
  [`${'?(a)'.repeat(28)}b`, 'a'.repeat(28), false],
  [`${'{a,}'.repeat(28)}b`, 'a'.repeat(28), false],
  [`${'+('.repeat(12)}a${')'.repeat(12)}b`, 'a'.repeat(250), false],
  [`${'*(a'.repeat(12)}${')'.repeat(12)}`, 'a'.repeat(250), true],
  ['(a+)+b', 'a'.repeat(250), false],
  ['!(+(a|aa))b', 'a'.repeat(250), false],
  [`${'a'.repeat(2000)}*`, `${'a'.repeat(2000)}*`, true],
  [`${'*a'.repeat(500)}b`, 'a'.repeat(4000), false],
])('%s ends with a long path', ([pattern, given, fits]) => {
  expect(globMatcher(pattern)(given)).toBe(fits)
})

test.for<readonly [glob: string, path: string, fits: boolean]>([
  [String.raw`*\\\\`, String.raw`a\\`, true],
  [String.raw`*\\\\`, 'a', false],
  [String.raw`[\\\\`, 'a', false],
  [String.raw`{\\\\`, 'a', false],
  [String.raw`!(a)\\\\`, 'a', false],
])('%s is read to its end', ([pattern, given, fits]) => {
  expect(globMatcher(pattern)(given)).toBe(fits)
})

test('short paths are judged as ever', () => {
  expect(globMatcher('*.test.*')('a.test.ts')).toBe(true)
  expect(globMatcher('!*.ts')('a.ts')).toBe(false)
  expect([globMatcher('!(*.md)')('a.ts'), globMatcher('!(*.md)')('a.md')]).toEqual([true, false])
  expect(globMatcher('!*.ts', { nonegate: true })('!a.ts')).toBe(true)
})
