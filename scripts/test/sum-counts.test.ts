/** The one line for several runs of the tests. */
import { expect, test } from 'vitest'
import { sumCounts, toCountLine } from '../sum-counts.ts'

const RUNS = '3 passed, 0 failed, 1 skipped\n40 passed, 2 failed, 0 skipped\n'

test('adds up all runs', () => {
  expect(toCountLine(sumCounts(RUNS, []))).toBe('43 passed, 2 failed, 1 skipped')
  expect(toCountLine(sumCounts('', []))).toBe('0 passed, 0 failed, 0 skipped')
})

test('a part that failed without a failed test is a failure too', () => {
  expect(sumCounts('3 passed, 0 failed, 1 skipped\n', ['npm run audit'])).toMatchObject({ failed: 1 })
  expect(sumCounts(RUNS, ['npm test'])).toMatchObject({ failed: 2 })
})
