/** Which project a test file belongs to, by what it imports. */
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ROOT } from '../root.ts'
import { sortTests } from '../test-projects.ts'

let root = ''

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'toolwire-projects-'))
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

function put(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

// Put together, because the texts below would count as imports of this file.
const IMPORT = 'import'
const EXPORT = 'export'
const LOAD = 'getBuiltinModule'

test.each([
  ['unit', `${IMPORT} { readFileSync } from 'node:fs'`],
  ['unit', `${IMPORT} type { ChildProcess } from 'node:child_process'`],
  ['unit', `${IMPORT} {\n  a,\n} from '../src/pure.ts'`],
  ['system', `${IMPORT} {\n  spawn,\n} from 'node:child_process'`],
  ['system', `${IMPORT} 'node:sqlite'`],
  ['system', `const pg = await ${IMPORT}('pg')`],
  ['system', `const { spawn } = process.${LOAD}('node:child_process')`],
  ['system', `${IMPORT} { start } from './helper.ts'`],
  ['system', `${EXPORT} { start } from './helper.ts'`],
  ['system', `${IMPORT} { serve } from '@x/a'`],
  ['system', `${IMPORT} { serve } from '@x/a/sub'`],
  ['browser', `${IMPORT} { page } from './browser.ts'\n${IMPORT} { start } from './helper.ts'`],
])('%s: %j', (project, text) => {
  const exported = {
    '.': { 'toolwire-source': './src/index.ts' },
    './sub': { 'toolwire-source': './src/sub.ts' },
  }
  put('packages/a/package.json', JSON.stringify({ name: '@x/a', exports: exported }))
  put('packages/a/src/index.ts', `${EXPORT} { serve } from './sub.ts'`)
  put('packages/a/src/sub.ts', `${IMPORT} { createServer } from 'node:http'\n${IMPORT} './index.ts'`)
  put('packages/a/src/pure.ts', `${IMPORT} { join } from 'node:path'`)
  put('packages/a/test/helper.ts', `${IMPORT} { Worker } from 'node:worker_threads'`)
  put('packages/a/test/browser.ts', `${IMPORT} { chromium } from 'playwright-core'`)
  put('packages/a/test/one.test.ts', text)
  const sorted = sortTests(root)
  const projects = Object.entries(sorted).filter(([, files]) => files.includes('packages/a/test/one.test.ts'))
  expect(projects.map(([name]) => name)).toEqual([project])
})

test('every test file of the repository is in exactly one project', () => {
  const sorted = sortTests()
  const files = Object.values(sorted).flat()
  expect(new Set(files).size).toBe(files.length)
  const all = globSync('{packages,apps,clients,examples,scripts,bench}/**/*.test.{ts,tsx}', {
    cwd: ROOT,
    exclude: [
      '**/node_modules/**',
      '**/dist/**',
      '**/test-agent-sdk/**',
      '**/test-clients/**',
      // Of the projects that they make; `test:pack` runs them there.
      'packages/create-toolwire/templates/**',
    ],
  })
  expect(files.toSorted()).toEqual(all.toSorted())
  expect(sorted.unit).toContain('packages/core/test/schema.test.ts')
  expect(sorted.unit).toContain('scripts/test/test-projects.test.ts')
  expect(sorted.system).toContain('packages/cli/test/keys.test.ts')
  expect(sorted.browser).toContain('apps/web/test/settings.test.ts')
  expect(sorted.smoke).toEqual(['packages/cli/test/smoke/wires.test.ts'])
})
