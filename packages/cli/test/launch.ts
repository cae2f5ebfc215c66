/** Starts the real command in a temporary folder and stops it again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** Named when it is there, so that it needs no consent. */
const CONFIG = 'toolwire.config.json'

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Launched {
  readonly child: ChildProcess
  readonly url: string
  readonly startLine: string
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<Ended>
  /** SIGTERM and wait; resolves with what it printed. Kills it and rejects if it does not end. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<Ended>
}

/** A folder that `fn` may fill; gone afterwards. */
export async function inFolder<T>(fn: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-cli-'))
  try {
    return await fn(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function start(args: readonly string[], cwd: string, env: Record<string, string>) {
  const child = spawn(process.execPath, ['--conditions=toolwire-source', MAIN, ...args], {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: cwd,
      TOOLWIRE_DEMO_PACE_MS: '0',
      ...(existsSync(join(cwd, CONFIG)) ? { TOOLWIRE_CONFIG: CONFIG } : {}),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', text => {
    out.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    out.stderr += text
  })
  const ended = new Promise<Ended>(resolve => child.on('close', code => resolve({ code, ...out })))
  return { child, out, ended }
}

/** Far more than a busy machine needs: a server that hangs fails its test with what it printed, and does not stay. */
const STOP_MS = 60_000

/** Rejects with the message of `giveUp` when the process has not ended in time. */
async function endWithin(ended: Promise<Ended>, giveUp: () => string): Promise<Ended> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(giveUp())), STOP_MS)
  })
  return await Promise.race([ended, late]).finally(() => clearTimeout(timer))
}

/** Runs the command to its end. */
export async function run(
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<Ended> {
  return await start(args, cwd, env).ended
}

/** Starts the server on a free port by default and waits for its start-up line. */
export async function launch(
  cwd: string,
  args: readonly string[] = ['--port', '0'],
  env: Record<string, string> = {},
): Promise<Launched> {
  const { child, out, ended } = start(args, cwd, env)
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const found = /on (http:\S+)/.exec(out.stdout)
      if (found?.[1]) resolve(found[1])
    })
    ended.then(end => reject(new Error(`the server ended early: ${JSON.stringify(end)}`)), reject)
  })
  return {
    child,
    url,
    startLine: out.stdout,
    ended,
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      return await endWithin(ended, () => {
        child.kill('SIGKILL')
        return `the server did not end after ${signal}: ${JSON.stringify(out)}`
      })
    },
  }
}
