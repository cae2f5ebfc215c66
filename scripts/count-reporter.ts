/** Closes a run with one plain line, `N passed, N failed`, that any CI can read. */
import type { TestModule } from 'vitest/node'

class CountReporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') count[state] += 1
      }
      if (module.errors().length > 0) count.failed += 1
    }
    console.log(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`)
  }
}

// biome-ignore lint/style/noDefaultExport: the test runner loads reporters by their default export.
export default CountReporter
