/**
 * Follows docs/embedding.md to the letter: makes the folders of its sections Express and Next with their commands and
 * files, starts them and talks to them with the commands of the page. No key, nothing besides the page.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from './root.ts'
import { freePort, waitFor } from './try-templates.ts'

/** Never the synchronous one: the registry answers in this process. */
const run = promisify(execFile)

interface Walk {
  readonly work: string
  /** Of npm, with a registry that holds the packed packages. */
  readonly env: NodeJS.ProcessEnv
}

export async function walkThroughPage({ work, env }: Walk): Promise<void> {
  const page = readFileSync(join(ROOT, 'docs/embedding.md'), 'utf8')
  const express = readSection(page, 'Express')
  const next = readSection(page, 'Next')
  const agent = new Map([...express.files].filter(([name]) => name === 'agent.js'))
  const [install, talk] = express.commands
  const [installNext] = next.commands
  if (!install || !talk || !installNext || agent.size === 0) throw new Error('docs/embedding.md lacks a step')
  await follow(
    { ...express, install, talk },
    { home: join(work, 'walk-express'), env, start: ['node', 'app.js'] },
  )
  const files = new Map([...agent, ...next.files])
  const start = ['npx', 'next', 'dev', '-H', '127.0.0.1']
  await follow({ files, install: installNext, talk }, { home: join(work, 'walk-next'), env, start })
}

interface Section {
  readonly files: ReadonlyMap<string, string>
  /** Blocks of the shell, in their order. */
  readonly commands: readonly string[]
}

/** A paragraph that begins with file names gives them to the blocks behind it. */
export function readSection(page: string, title: string): Section {
  const text = page.split(`\n## ${title}\n`)[1]?.split(/^## /m)[0] ?? ''
  const files = new Map<string, string>()
  const commands: string[] = []
  let names: string[] = []
  for (const [, before = '', language = '', code = ''] of text.matchAll(
    /([\s\S]*?)^```(\w+).*\n([\s\S]*?)^```$/gm,
  )) {
    const last = before.trim().split('\n\n').at(-1) ?? ''
    const named = /^`([^`]+\.js)`(?: and `([^`]+\.js)`)?/.exec(last)
    if (named) names = named.slice(1).filter(name => name !== undefined)
    if (language === 'sh') commands.push(code)
    else files.set(names.shift() ?? '', code)
  }
  if (files.has('')) throw new Error(`a block of ${title} has no file name before it`)
  return { files, commands }
}

interface Steps {
  readonly files: ReadonlyMap<string, string>
  readonly install: string
  readonly talk: string
}

interface Stage {
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  readonly start: readonly string[]
}

async function follow({ files, install, talk }: Steps, { home, env, start }: Stage): Promise<void> {
  mkdirSync(home)
  await run('bash', ['-euo', 'pipefail', '-c', install], { cwd: home, env })
  const port = String(await freePort())
  for (const [name, code] of files) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), code.replaceAll('3000', port))
  }
  const [command = '', ...args] = start
  const child = spawn(command, args, {
    cwd: home,
    env: { ...env, PORT: port },
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  })
  try {
    await waitFor(`http://127.0.0.1:${port}`)
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', talk.replaceAll('3000', port)], {
      cwd: home,
      env,
    })
    for (const expected of ['"type":"paused"', '"decision":"approved"', 'Order 7 is paid back.'])
      if (!stdout.includes(expected)) throw new Error(`${expected} is not in:\n${stdout}`)
    console.log(`docs/embedding.md followed with ${start.join(' ')}`)
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
}
