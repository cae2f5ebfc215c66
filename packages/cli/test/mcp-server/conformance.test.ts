/**
 * The server scenarios of the official conformance suite, run by its own program: all that the two revisions require,
 * without expected failures, and the released suite as a second opinion. Fixtures are registered by name.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Running } from '../../../server/test/start-server.ts'
import { conformanceExtension } from './conformance-extension.ts'
import { CONFORMANCE_TOOLS, conformanceModel, TASK_TOOLS } from './conformance-tools.ts'
import { serveMcpOpenly } from './serve-mcp.ts'

const toProgram = (manifest: string): string => join(dirname(fileURLToPath(manifest)), 'dist/index.js')
const RELEASED = toProgram(import.meta.resolve('@modelcontextprotocol/conformance/package.json'))
const NEXT = toProgram(import.meta.resolve('@modelcontextprotocol/conformance-next/package.json'))

let server: Running
let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-conformance-server-'))
  const tools = [...CONFORMANCE_TOOLS, ...TASK_TOOLS]
  const offer = { tools: tools.map(tool => tool.name) }
  server = await serveMcpOpenly({
    tools,
    offer,
    extension: conformanceExtension,
    callModel: conformanceModel,
  })
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

async function run(program: string, ...args: string[]) {
  const all = [program, 'server', '--url', `${server.url}/mcp`, ...args]
  const child = spawn(process.execPath, all, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  return { code, output }
}

test.each(['2025-11-25', '2026-07-28'])('meets the requirements of revision %s', async revision => {
  const { code, output } = await run(NEXT, '--requirements', revision, '--timeout', '60000')
  expect(code, output).toBe(0)
})

test('passes the active scenarios of the released suite', async () => {
  const { code, output } = await run(RELEASED)
  expect(code, output).toBe(0)
})

/** Left out: those about tools that are always tasks (no tool is), and one that the suite skips itself. */
const TASKS = [
  'lifecycle',
  'capability-negotiation',
  'wire-fields',
  'request-state-removal',
  'mrtr-input',
  'request-headers',
  'dispatch-and-envelope',
]

test.each(TASKS)('passes the scenario of the tasks extension about %s', async name => {
  const { code, output } = await run(NEXT, '--scenario', `tasks-${name}`)
  expect(code, output).toBe(0)
})
