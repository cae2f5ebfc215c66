/**
 * Processes of a benchmark. What is measured runs on the first core, provider and readers on the others,
 * where the machine has more than one core and `taskset`; else wherever the system puts them.
 */
import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { availableParallelism, cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Target } from './readers.ts'

/** A listening server. The caller stops it. */
export interface Subject extends Target {
  readonly pid: number
  /** Milliseconds from the start of the process until its port was open. */
  readonly listen_ms: number
  readonly stop: () => Promise<void>
}

export interface Command {
  /** Arguments of the Node that runs the benchmark. */
  readonly args: readonly string[]
  readonly port: number
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Called when the process has ended. */
  readonly cleanUp?: () => void
}

/** Long enough for the slowest peer on a busy machine. */
const PATIENCE_MS = 60_000

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['-V']).status === 0
const onCore = (core: string, program: string, args: readonly string[]): readonly string[] =>
  canPin ? ['taskset', '-c', core, program, ...args] : [program, ...args]

/** Keeps this process, and the children that it forks, away from the first core. Idempotent. */
export function leaveFirstCore(): void {
  if (canPin) spawnSync('taskset', ['-a', '-cp', `1-${availableParallelism() - 1}`, String(process.pid)])
}

/** Lets this process, and the children that it starts from now on, run on every core; the returned function undoes that. */
export function useEveryCore(): () => void {
  const own = canPin ? spawnSync('taskset', ['-cp', String(process.pid)]).stdout.toString() : ''
  const before = /: ([\d,-]+)\s*$/.exec(own)?.[1]
  const runOn = (cores: string | undefined): void => {
    if (cores !== undefined) spawnSync('taskset', ['-a', '-cp', cores, String(process.pid)])
  }
  if (before !== undefined) runOn(`0-${cpus().length - 1}`)
  return () => runOn(before)
}

/** Starts a server and waits until its port is open. Throws when it ends before that. */
export async function startSubject({ args, port, cwd, env, cleanUp }: Command): Promise<Subject> {
  const [program = '', ...rest] = onCore('0', process.execPath, args)
  const started = performance.now()
  const child = spawn(program, rest, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group: some peers start further processes.
    detached: true,
  })
  let told = ''
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => {
      told = (told + text).slice(-2000)
    })
  const gone = exited(child)
  async function stop(): Promise<void> {
    const end = (signal: NodeJS.Signals): void => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, signal)
    }
    end('SIGTERM')
    const late = setTimeout(() => end('SIGKILL'), 5000)
    await gone
    clearTimeout(late)
    cleanUp?.()
  }
  while (!(await isOpen(port))) {
    if (child.exitCode === null && child.signalCode === null && performance.now() - started < PATIENCE_MS) {
      await new Promise(resolve => setTimeout(resolve, 2))
      continue
    }
    await stop()
    throw new Error(`${args.join(' ')} did not listen: ${told}`)
  }
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    listen_ms: performance.now() - started,
    stop,
  }
}

/** Starts a program of this folder that reports its address over IPC and ends at the first message. */
export async function forkHelper(
  program: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), {
    execArgv: ['--conditions=toolwire-source'],
    env: { ...process.env, ...env },
  })
  const { url } = await new Promise<{ url: string }>((resolve, reject) => {
    child.once('message', message => resolve(message as { url: string }))
    child.once('exit', code => reject(new Error(`${program} ended with ${code}`)))
  })
  return {
    url,
    async stop() {
      const gone = exited(child)
      child.send('stop')
      await gone
    },
  }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

const exited = (child: ChildProcess): Promise<void> =>
  new Promise(resolve => child.once('exit', () => resolve()))

function isOpen(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
