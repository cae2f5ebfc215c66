/**
 * One command in a fresh shell: its own session and process group, no terminal, no standard
 * input. Ends when the shell ends, even when a grandchild holds its pipes; nothing of it
 * survives an abort.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { DiskShare } from '@toolwire/core'
import { createOutputSink, type OutputSink } from './output-sink.ts'
import { identify, killAll, markLine, markOf, members, type ProcessId, TOKEN_VARIABLE } from './processes.ts'

export interface ShellCommand {
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly artifact: string
  /** In the environment of everything the command starts, so that it can be found again. */
  readonly token: string
  readonly inline: number
  /** Room for the output's file. */
  readonly disk?: DiskShare | undefined
  /** A file of definitions that the shell reads first. */
  readonly start?: string | undefined
  /** Ends what the command leaves running. */
  readonly reap?: boolean | undefined
  /** Puts the shell's own command line into another program, such as a sandbox. */
  readonly wrap?: ((argv: readonly string[]) => readonly string[]) | undefined
}

export interface ShellExit {
  /** Undefined when a signal ended it. */
  readonly code: number | undefined
  readonly signal: string | undefined
  /** Its directory at the end; undefined if unknown. */
  readonly cwd: string | undefined
  /** Processes it left running, whether or not they hold its pipes. */
  readonly left: readonly number[]
}

export interface ShellRun {
  readonly process: ProcessId
  readonly token: string
  readonly sink: OutputSink
  /** Never rejects. */
  readonly exit: Promise<ShellExit>
  /** The kill ladder. Resolves when nothing of it is left. Idempotent. */
  readonly kill: () => Promise<void>
}

/** Time that the pipes may stay open after the shell itself has ended. */
const DRAIN_MS = 400
/** Children that end together with the shell need a moment to be gone. */
const SETTLE_MS = 100
const LOOK_MS = 20
/** Reports the shell's last directory on a separate descriptor, however it ends. */
const SCRIPT = `${markLine('"$3"')}\n[ -z "$2" ] || . "$2" >/dev/null 2>&1\ntrap 'pwd -P >&3 2>/dev/null' EXIT\neval "$1"`

/** Throws when there is no shell to start or no such directory. */
export async function startShell(request: ShellCommand): Promise<ShellRun> {
  const { token } = request
  const { command, start = '' } = request
  const argv = ['bash', '--noprofile', '--norc', '-c', SCRIPT, 'bash', command, start, markOf(token)]
  const [program = 'bash', ...args] = request.wrap?.(argv) ?? argv
  const child = spawn(program, args, {
    cwd: request.cwd,
    env: { ...request.env, [TOKEN_VARIABLE]: token },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  const pid = child.pid ?? 0
  const sink = createOutputSink(request.artifact, request.inline, undefined, request.disk)
  const [, stdout, stderr, place] = child.stdio
  if (stdout && stderr) {
    sink.attach(stdout as Readable, 'stdout')
    sink.attach(stderr as Readable, 'stderr')
  }
  const leader = identify(pid)
  const exit = watch({ child, leader }, sink, place as Readable, request)
  return { process: await leader, token, sink, exit, kill: async () => await killAll(await leader, token) }
}

async function watch(
  { child, leader }: { readonly child: ChildProcess; readonly leader: Promise<ProcessId> },
  sink: OutputSink,
  place: Readable,
  { token, reap }: ShellCommand,
): Promise<ShellExit> {
  let where = ''
  // A leftover process may hold the descriptor, so the end of the line matters, not that of the pipe.
  const told = new Promise<void>(resolve => {
    place.on('data', (chunk: Buffer) => {
      where = (where + chunk.toString()).slice(-8192)
      if (where.endsWith('\n')) resolve()
    })
    place.on('error', () => {})
    place.on('close', resolve)
  })
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>(resolve => {
    child.once('exit', (...end) => resolve(end))
  })
  const all = Promise.all([sink.ended, told]).then(() => true)
  const drained = await Promise.race([all, delay(DRAIN_MS, false, { ref: false })])
  place.destroy()
  const found = await leftBy(await leader, token, drained ? SETTLE_MS : 0)
  if (reap && found.length > 0) await killAll(await leader, token)
  const left = reap ? [] : found
  const cwd = where.split('\n').at(-2)
  return {
    code: code ?? undefined,
    signal: signal ?? undefined,
    cwd: cwd?.startsWith('/') ? cwd : undefined,
    left,
  }
}

/** Processes left after `patience` milliseconds; returns early when none is left. */
async function leftBy(leader: ProcessId, token: string, patience: number): Promise<readonly number[]> {
  const deadline = performance.now() + patience
  for (;;) {
    const found = await members(leader, token)
    if (found.length === 0 || performance.now() >= deadline) return found
    await delay(LOOK_MS)
  }
}
