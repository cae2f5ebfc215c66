/**
 * `npm run test:doors`: tests of routes, wires and security once more, with the requests coming in by `node` below a
 * mount point and by `handler`. `npm run test:rest` runs them through the server's own listener.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from './root.ts'

/** Without `stream-share` and `mutation`, which write requests by hand for the server's own listener. */
const FILES = [
  'access/neighbours',
  'access/keys',
  'access/open-requests',
  'approvals',
  'calls',
  'chat',
  'cut-everywhere',
  'event-source',
  'events',
  'fuzz-http',
  'log-reset',
  'nested-answers',
  'permissions',
  'request-bounds',
  'security',
  'sessions',
  'shutdown',
  'sparing-stream',
]

const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
const files = FILES.map(name => `packages/server/test/${name}.test.ts`)
const results = ['mounted', 'fetch'].map(door => {
  const env = { ...process.env, TOOLWIRE_TEST_DOOR: door }
  return spawnSync(process.execPath, [vitest, 'run', ...files], { cwd: ROOT, env, stdio: 'inherit' }).status
})
process.exitCode = results.every(status => status === 0) ? 0 : 1
