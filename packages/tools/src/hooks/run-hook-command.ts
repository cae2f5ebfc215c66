/**
 * A hook that is a command: the event as JSON on its input, the answer as JSON on its output.
 * Exit code 0 is an answer (or none), 2 a denial with the reason on stderr, any other a failure.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { commandEnvironment } from '../shell/environment.ts'
import type { HookEvent } from './hook-event.ts'

const MAX_OUTPUT = 1024 * 1024
const DENIED = 2
/** Time for remaining output after the command has ended. */
const DRAIN_MS = 500

/** Undefined when the command said nothing. Throws when it fails or is aborted; its process group is gone then. */
export async function runHookCommand(
  command: string,
  event: HookEvent,
  signal: AbortSignal,
): Promise<unknown> {
  const child = spawn('/bin/sh', ['-c', command], {
    cwd: event.cwd,
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
  child.stdin.end(JSON.stringify(event))
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    if (signal.aborted) throw new Error('it was stopped')
    return answerOf(event, code, out(), err())
  } finally {
    signal.removeEventListener('abort', kill)
    kill()
  }
}

function answerOf(event: HookEvent, code: number | null, out: string, err: string): unknown {
  if (code === DENIED) {
    const said = err.trim()
    return event.event === 'before_tool'
      ? { decision: 'deny', reason: said || 'A hook denied it.' }
      : { context: said }
  }
  if (code !== 0)
    throw new Error(`it ended with ${code === null ? 'a signal' : `exit code ${code}`}. ${err.trim()}`.trim())
  const text = out.trim()
  return text === '' ? undefined : JSON.parse(text)
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
