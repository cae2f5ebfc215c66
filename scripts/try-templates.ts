/**
 * Makes a project of every template as a user does, from a registry that holds the packed packages: `npm create
 * toolwire`, `npm install`, its check, test and build, and a conversation with a tool call and an approval.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { converse } from './try-hosts.ts'

interface Trial {
  readonly work: string
  /** Of npm, with a registry that holds the packed packages. */
  readonly env: NodeJS.ProcessEnv
  /** All when absent. */
  readonly only?: string
}

/** The start of each project on a port, and the path of its agent. */
const TEMPLATES = {
  'chat-react': { start: [], base: '/agent', page: 'id="app"' },
  'chat-vue': { start: [], base: '/agent', page: 'id="app"' },
  next: { start: [], base: '/agent', page: '<title>Chat</title>' },
  express: { start: [], base: '/agent', page: 'under /agent' },
  tool: { start: ['--port'], base: '', page: 'Toolwire' },
} as const

export async function tryTemplates({ work, env, only }: Trial): Promise<void> {
  const home = join(work, 'projects')
  mkdirSync(home)
  for (const name of Object.keys(TEMPLATES) as (keyof typeof TEMPLATES)[])
    if (only === undefined || only === name) await tryTemplate(name, { home, env })
}

interface Surroundings {
  readonly home: string
  readonly env: NodeJS.ProcessEnv
}

async function tryTemplate(name: keyof typeof TEMPLATES, { home, env }: Surroundings): Promise<void> {
  const project = `my-${name}`
  const npm = (cwd: string, ...args: readonly string[]): Promise<void> => run('npm', args, { cwd, env })
  await npm(home, 'create', '--yes', 'toolwire@latest', project, '--', '--template', name)
  const folder = join(home, project)
  await npm(folder, 'install')
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  if (scripts['build'] !== undefined) await npm(folder, 'run', 'build')
  await npm(folder, 'run', 'check')
  await npm(folder, 'test')
  const port = await freePort()
  const { start, base, page } = TEMPLATES[name]
  const child = spawn('npm', ['start', '--', ...start.flatMap(flag => [flag, String(port)])], {
    cwd: folder,
    env: { ...env, PORT: String(port), AGENT_MODEL: 'demo' },
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  })
  try {
    const origin = `http://127.0.0.1:${port}`
    await waitFor(origin)
    await converse(origin, { base, page })
    console.log(`${name}: created, installed, built, tested, talked to`)
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
}

/** Output is shown when the command fails. */
async function run(
  command: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
) {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: string[] = []
  child.stdout.on('data', chunk => output.push(String(chunk)))
  child.stderr.on('data', chunk => output.push(String(chunk)))
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} in ${cwd} ended with ${code}:\n${output.join('')}`)
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** Until anything is answered. */
export async function waitFor(origin: string): Promise<void> {
  for (let left = 600; left > 0; left--) {
    const isThere = await fetch(origin).then(
      () => true,
      () => false,
    )
    if (isThere) return
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  throw new Error(`${origin} does not answer`)
}
