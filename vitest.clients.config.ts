/** The suite of command-line agents, apart from all others: they are installed on demand, some 300 MB. */
import { defineConfig } from 'vitest/config'

const conditions = ['toolwire-source', 'node', 'default']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/server/test-clients/**/*.test.ts'],
    execArgv: ['--conditions=toolwire-source'],
    maxWorkers: 1,
    // Agents take seconds to start, and look for the network that is not there. A hang is a failure.
    testTimeout: 180_000,
    hookTimeout: 60_000,
    reporters: ['default', './scripts/count-reporter.ts'],
  },
})
