/** Ends a run with one plain line, `N passed, N failed, N skipped`, that any CI can read. */
import { appendFileSync } from 'node:fs'
import type { TestModule } from 'vitest/node'
import { COUNTS_VARIABLE, toCountLine } from './sum-counts.ts'

class CountReporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[] = []): void {
    const count = { passed: 0, failed: errors.length, skipped: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') count[state] += 1
      }
      if (module.errors().length > 0) count.failed += 1
    }
    console.log(`\n${toCountLine(count)}`)
    const file = process.env[COUNTS_VARIABLE]
    if (file) appendFileSync(file, `${toCountLine(count)}\n`)
  }
}

// biome-ignore lint/style/noDefaultExport: the test runner loads reporters by their default export.
export default CountReporter
