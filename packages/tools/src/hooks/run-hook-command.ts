/** A hook that is a command: the event as JSON on its input, the answer as JSON on its output. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { commandEnvironment } from '../shell/environment.ts'
import type { HookHandler } from './hook-types.ts'

const MAX_OUTPUT = 1024 * 1024
/** Time for remaining output after the command has ended. */
const DRAIN_MS = 500

export interface HookCommandEnd {
  /** Null after a signal. */
  readonly code: number | null
  readonly out: string
  readonly err: string
}

type CommandHook = Extract<HookHandler, { readonly command: string }>

/** Throws when it is aborted; its process group is gone then. No shell reads `args`. */
export async function runHookCommand(
  { command, args }: CommandHook,
  { input, cwd }: { readonly input: string; readonly cwd: string },
  signal: AbortSignal,
): Promise<HookCommandEnd> {
  const [program, list] = args ? [command, args] : ['/bin/sh', ['-c', command]]
  const child = spawn(program, list, {
    cwd,
    env: commandEnvironment(process.env),
    detached: true,
    stdio: 'pipe',
  })
  const kill = (): void => killGroup(child.pid)
  signal.addEventListener('abort', kill, { once: true })
  if (signal.aborted) kill()
  // A leftover child holds the pipes open, also one in a separate process group.
  child.once('exit', () => {
    kill()
    setTimeout(() => [child.stdout, child.stderr].forEach(pipe => void pipe.destroy()), DRAIN_MS).unref()
  })
  const out = collect(child.stdout, kill)
  const err = collect(child.stderr, kill)
  // A command that does not read its input closes the pipe; that is its right.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    if (signal.aborted) throw new Error('it was stopped')
    return { code, out: out().trim(), err: err().trim() }
  } finally {
    signal.removeEventListener('abort', kill)
    kill()
  }
}

/** The output of a stream up to a limit; beyond it the command is ended. */
function collect(stream: NodeJS.ReadableStream, overflow: () => void): () => string {
  const chunks: Buffer[] = []
  let size = 0
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_OUTPUT) overflow()
    else chunks.push(chunk)
  })
  return () => Buffer.concat(chunks).toString('utf8')
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody is left.
  }
}
