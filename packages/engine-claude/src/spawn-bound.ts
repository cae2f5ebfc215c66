/**
 * Starts a program that does not outlive this process, however this process ends. A watcher in the program's own process
 * group holds the other end of a pipe: when this process is gone, the pipe ends and the watcher kills the group.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { SpawnRequest } from './sdk.ts'

export type BoundProcess = ChildProcessByStdio<Writable, Readable, Readable>

/** The shell becomes the program. The watcher holds none of its pipes, and its group's number cannot be given away. */
const SCRIPT = '{ read -r _; kill -KILL 0; } <&3 3<&- >/dev/null 2>&1 & exec "$@" 3<&-'
const WATCHED_FD = 3

/** The program leads a separate process group; its remaining children are killed when it ends. */
export function spawnBound({ command, args, cwd, env }: SpawnRequest): BoundProcess {
  const started = spawn('/bin/sh', ['-c', SCRIPT, 'sh', command, ...args], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
  }) as unknown as BoundProcess
  const held = started.stdio[WATCHED_FD]
  held?.on('error', () => {})
  started.once('exit', () => held?.destroy())
  return started
}
