/** Runs the shell blocks of every page in their order, in one shell, against a fresh server with the demo model. */
import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { startTestServer } from 'toolwire/testing'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../packages/store/test/postgres/test-database.ts'
import { ROOT } from '../src/pages.ts'
import { type CodeBlock, nameOf, readBlocks } from './code-blocks.ts'

const blocks = readBlocks().filter(
  ({ language, notRun }) => /^(sh|bash)$/.test(language) && notRun === undefined,
)
const files = [...new Set(blocks.map(block => block.file))]

test('there are blocks to run', () => {
  expect(blocks.length).toBeGreaterThan(20)
})

test.each(files)('the commands of %s work', async file => {
  const page = blocks.filter(block => block.file === file)
  await using server = await setUp(page)
  const folder = await mkdtemp(join(tmpdir(), 'docs-blocks-'))
  try {
    const script = toScript(page)
      .replaceAll(/(http:\/\/)?(127\.0\.0\.1|localhost):8000\b/g, server.url)
      .replaceAll('--port 8000', `--port ${new URL(server.url).port}`)
      .replaceAll('8001', String(server.secondPort))
    const { code, output } = await run(script, folder, server)
    expect(code, output).toBe(0)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

/** Stops at the first command that fails, also inside of a pipe, and for a response with an error status. */
function toScript(page: readonly CodeBlock[]): string {
  const commands = page.map(block => `echo '--- ${nameOf(block)}'\n${block.given}\n${block.text}`)
  return [
    'set -euo pipefail',
    // Ends what the page has started in the background.
    "trap 'kill $(jobs -p) 2> /dev/null || true; wait' EXIT",
    'curl() { command curl --fail-with-body -sS --max-time 100 "$@"; }',
    ...commands,
  ].join('\n')
}

interface Surroundings extends AsyncDisposable {
  readonly url: string
  readonly secondPort: number
  readonly database?: string
}

/** A server, or free ports for a page that starts its own, and a database where the page asks for one. */
async function setUp(page: readonly CodeBlock[]): Promise<Surroundings> {
  const secondPort = await findFreePort()
  if (!page.some(({ text }) => /^toolwire start .*&$/m.test(text))) {
    const server = await startTestServer()
    return { url: server.url, secondPort, [Symbol.asyncDispose]: server.close }
  }
  const database = page.some(({ text }) => text.includes('DATABASE_URL'))
    ? await createTestDatabase()
    : undefined
  return {
    url: `http://127.0.0.1:${await findFreePort()}`,
    secondPort,
    ...(database === undefined ? {} : { database: database.url }),
    [Symbol.asyncDispose]: async () => await database?.drop(),
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

async function run(
  script: string,
  folder: string,
  { url, database }: Surroundings,
): Promise<{ code: number | null; output: string }> {
  const command = join(folder, 'toolwire')
  await writeFile(
    command,
    `#!/bin/sh\nexec '${process.execPath}' --conditions=toolwire-source '${ROOT}/scripts/start.js' "$@"\n`,
  )
  await chmod(command, 0o755)
  const child = spawn('bash', ['-c', script], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      HOME: folder,
      CHECKOUT: ROOT,
      TOOLWIRE_URL: url,
      TOOLWIRE_PORT: new URL(url).port,
      ...(database === undefined ? {} : { DATABASE_URL: database }),
      PATH: [folder, join(process.execPath, '..'), process.env['PATH']].join(delimiter),
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const code = await new Promise<number | null>(resolve => child.on('close', resolve))
  return { code, output }
}
