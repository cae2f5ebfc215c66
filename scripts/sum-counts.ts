/**
 * `npm run test:counts -- FILE [PART …]`: adds up the lines that the runs of the tests left in a file, and prints one
 * line for all. PART names a command that failed: each is at least one failure, also when it ran no test.
 */
import { readFileSync } from 'node:fs'

/** Names the file that every run of the tests adds its line to. */
export const COUNTS_VARIABLE = 'TOOLWIRE_TEST_COUNTS'

export interface TestCounts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export const toCountLine = ({ passed, failed, skipped }: TestCounts): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`

export function sumCounts(lines: string, failedParts: readonly string[]): TestCounts {
  const total = { passed: 0, failed: 0, skipped: 0 }
  for (const [, passed, failed, skipped] of lines.matchAll(/^(\d+) passed, (\d+) failed, (\d+) skipped$/gm)) {
    total.passed += Number(passed)
    total.failed += Number(failed)
    total.skipped += Number(skipped)
  }
  return { ...total, failed: Math.max(total.failed, failedParts.length) }
}

if (import.meta.main) {
  const [file = '', ...failedParts] = process.argv.slice(2)
  for (const part of failedParts) console.log(`failed: ${part}`)
  console.log(toCountLine(sumCounts(readFileSync(file, 'utf8'), failedParts)))
}
