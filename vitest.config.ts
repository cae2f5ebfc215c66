import { defineConfig } from 'vitest/config'

/**
 * Sources run unbuilt: the `toolwire-source` condition points every workspace package at its src folder.
 * No `import` here: workers apply these to `require` too, and packages in CommonJS would get ESM.
 */
const conditions = ['toolwire-source', 'node', 'default']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: [
      '{packages,apps,clients}/*/test/**/*.test.{ts,tsx}',
      '{packages,apps}/*/src/**/*.test.{ts,tsx}',
      '{examples,scripts,bench}/test/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**'],
    execArgv: ['--conditions=toolwire-source'],
    maxWorkers: 2,
    // A hang is a failure, but the machine may be slow: generous, and never used as an assertion.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default', './scripts/count-reporter.ts'],
  },
})
