/** The codex command-line agent: its package, its settings and one run of it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Installable } from './installed.ts'
import { clientCache } from './python-packages.ts'

export const codex: Installable = {
  name: 'codex',
  package: '@openai/codex',
  version: '0.169.0',
  program: 'bin/codex.js',
}

export interface CodexSettings {
  readonly url: string
  /** A new folder, taken for the user's home. */
  readonly home: string
  readonly model: string
  /** Lines of its configuration before the providers. */
  readonly more?: readonly string[]
  /** Lines of the provider. */
  readonly provider?: readonly string[]
}

/** As docs/clients/codex.md describes it. */
export async function configureCodex({ url, home, model, more = [], provider = [] }: CodexSettings): Promise<void> {
  const config = [
    `model = "${model}"`,
    'model_provider = "toolwire"',
    ...more,
    '',
    '[model_providers.toolwire]',
    'name = "Toolwire"',
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    ...provider,
  ]
  await mkdir(join(home, '.codex'), { recursive: true })
  await mkdir(join(home, 'work'), { recursive: true })
  await writeFile(join(home, '.codex/config.toml'), `${config.join('\n')}\n`)
}

export interface CodexRun {
  readonly child: ChildProcess
  /** Its standard output and exit code, once it has ended. */
  readonly ended: Promise<{ readonly output: string; readonly errors: string; readonly code: number | null }>
}

/** The sandbox of codex is off: the suite has a separate network, and the folder is temporary. */
const OPEN = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']

export const execCodex = (home: string, ...args: readonly string[]): CodexRun =>
  runCodex(home, ['exec', ...OPEN, ...args])

/** With its built-in provider, which wants a key. */
export async function execBuiltInCodex(url: string, home: string, ...args: readonly string[]): Promise<CodexRun> {
  await mkdir(join(home, '.codex'), { recursive: true })
  await mkdir(join(home, 'work'), { recursive: true })
  await writeFile(join(home, '.codex/config.toml'), `model = "demo"\nopenai_base_url = "${url}/v1"\n`)
  return runCodex(home, ['exec', ...OPEN, ...args], { CODEX_API_KEY: 'sk-test' })
}

function runCodex(home: string, args: readonly string[], more: Record<string, string> = {}): CodexRun {
  const folder = join(clientCache(), `${codex.name}-${codex.version}`, 'node_modules', codex.package)
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, CI: '1', ...more }
  const child = spawn(process.execPath, [join(folder, codex.program), ...args], {
    cwd: join(home, 'work'),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8')
  })
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8')
  })
  const ended = new Promise<{ output: string; errors: string; code: number | null }>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve({ output, errors, code }))
  })
  return { child, ended }
}
