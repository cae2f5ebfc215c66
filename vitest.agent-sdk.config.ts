/** The suite of the engine claude-agent-sdk, apart from all others: it needs a package of 414 MB. */
import { defineConfig } from 'vitest/config'

// No `import` here: workers apply these to `require` too, and packages in CommonJS would get ESM.
const conditions = ['toolwire-source', 'node', 'default']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/engine-claude/test-agent-sdk/**/*.test.ts'],
    execArgv: ['--conditions=toolwire-source'],
    maxWorkers: 2,
    // Every process takes a second to start, more on a slow disk. A hang is a failure.
    testTimeout: 180_000,
    hookTimeout: 60_000,
    reporters: ['default', './scripts/count-reporter.ts'],
  },
})
