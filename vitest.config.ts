import { defineConfig } from 'vitest/config'
import { sortTests } from './scripts/test-projects.ts'

/**
 * Sources run unbuilt: the `toolwire-source` condition points every workspace package at its src folder.
 * No `import` here: workers apply these to `require` too, and packages in CommonJS would get ESM.
 */
const conditions = ['toolwire-source', 'node', 'default']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    projects: Object.entries(sortTests()).map(([name, include]) => ({
      extends: true,
      test: {
        name,
        include: [...include],
        ...(name === 'browser' ? { globalSetup: ['./scripts/unpack-browser.ts'] } : {}),
      },
    })),
    execArgv: ['--conditions=toolwire-source'],
    setupFiles: ['./scripts/fixed-seed.ts'],
    maxWorkers: 2,
    // A hang is a failure, but the machine may be slow: generous, and never used as an assertion.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Its own default is a second, which a busy machine easily takes.
    expect: { poll: { timeout: 100_000 } },
    reporters: ['default', './scripts/count-reporter.ts'],
  },
})
