/** The client scenarios of the official conformance suite, run by its own program. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const RUNNER = join(
  dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json'))),
  'dist/index.js',
)
const CLIENT = join(import.meta.dirname, 'conformance-client.ts')
const LIMIT_MS = 60_000

const SCENARIOS = [
  'initialize',
  'tools_call',
  'elicitation-sep1034-client-defaults',
  'sse-retry',
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/basic-cimd',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/pre-registration',
  'auth/2025-03-26-oauth-endpoint-fallback',
  'auth/resource-mismatch',
  'auth/offline-access-scope',
  'auth/offline-access-not-supported',
  'auth/client-credentials-jwt',
  'auth/client-credentials-basic',
  'auth/2025-03-26-oauth-metadata-backcompat',
  'auth/cross-app-access-complete-flow',
]

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-conformance-run-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function run(...args: string[]): Promise<{ readonly code: number | null; readonly said: string }> {
  const child = spawn(process.execPath, [RUNNER, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  return { code, said }
}

test.each(SCENARIOS)('the client passes the conformance scenario %s', async scenario => {
  const command = `${process.execPath} --conditions=toolwire-source ${CLIENT}`
  const { code, said } = await run(
    'client',
    '--command',
    command,
    '--scenario',
    scenario,
    '--timeout',
    String(LIMIT_MS),
  )
  expect(said).toContain('OVERALL: PASSED')
  expect(code).toBe(0)
})

test('no scenario of the suite is forgotten', async () => {
  const { said } = await run('list', '--client')
  const listed = said
    .slice(said.indexOf('Client scenarios'))
    .split('\n')
    .flatMap(line => /^\s+- (\S+)/.exec(line)?.[1] ?? [])
  expect(listed.length).toBeGreaterThan(20)
  expect(SCENARIOS.toSorted()).toEqual(listed.sort())
})
