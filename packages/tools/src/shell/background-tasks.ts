/**
 * Commands that continue after their call has ended. Each is known by its notes in the session (pid, start time,
 * log), so that a restarted server can still list, read and stop it.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { ToolContext, ToolStep } from '@toolwire/core'
import { artifactPath } from '../bound-output.ts'
import { QUOTA_REACHED } from '../disk-quota.ts'
import { openFreshSync } from '../safe-files/put-file.ts'
import { identify, killAll, markLine, markOf, type ProcessId, TOKEN_VARIABLE } from './processes.ts'
import type { ShellRun } from './run-shell.ts'
import {
  createTaskWatch,
  endOf,
  exitFile,
  isRunning,
  leaderOf,
  TASK_NOTE,
  type TaskNote,
  type TaskWatch,
  type TaskWatchOptions,
} from './task-watch.ts'

export type TaskState =
  | { readonly type: 'running' }
  | { readonly type: 'ended'; readonly code: number | undefined; readonly overdue: boolean }
  | { readonly type: 'stopped' }

interface TaskRequest {
  readonly command: string
  readonly timeout?: number | undefined
  readonly env: Readonly<Record<string, string>>
  /** A file of definitions that the shell reads first. */
  readonly start?: string | undefined
  /** Puts the shell's own command line into another program, such as a sandbox. */
  readonly wrap?: ((argv: readonly string[]) => readonly string[]) | undefined
}

export interface BackgroundTasks {
  /** Starts a command and answers at once. */
  readonly launch: (request: TaskRequest, context: ToolContext) => Promise<ToolStep>
  /** Takes over a command that outlived its call. */
  readonly adopt: (shell: ShellRun, command: string, context: ToolContext, ranMs: number) => Promise<ToolStep>
  readonly list: (context: ToolContext) => readonly TaskNote[]
  readonly find: (task_id: string, context: ToolContext) => TaskNote | undefined
  readonly state: (task: TaskNote) => Promise<TaskState>
  /** The kill ladder; resolves when nothing of it is left. Idempotent. */
  readonly stop: (
    task: TaskNote,
    context: { readonly notes: Pick<ToolContext['notes'], 'set'> },
  ) => Promise<void>
  /** Looks after the tasks of an earlier process. */
  readonly resume: TaskWatch['resume']
  /** Stops watching tasks; they continue. */
  readonly close: () => void
}

const DEFAULT_LIMIT = 1_800_000
const MAX_LIMIT = 7_200_000
/**
 * The exit code goes to a separate descriptor, so that it is known after a restart too, and from inside a sandbox.
 */
const SCRIPT = `${markLine('"$3"')}\n[ -z "$2" ] || . "$2" >/dev/null 2>&1\ntrap 'echo $? >&3' EXIT\neval "$1"`

export function createBackgroundTasks(options: TaskWatchOptions = {}): BackgroundTasks {
  /** Resources of running tasks that they may not need. */
  const rooms = new Map<string, () => Promise<void>>()
  const watch = createTaskWatch({
    ...options,
    async onEnd(ended) {
      await settle(ended.task.task_id)
      await options.onEnd?.(ended)
    },
  })

  /** Bytes that the task may write: they are counted now, because it can outlive this process. */
  async function roomFor(task_id: string, log: string, { disk }: ToolContext): Promise<number | undefined> {
    if (!disk) return undefined
    const room = disk.take(Math.ceil(disk.limit / TASK_SHARE))
    rooms.set(task_id, async () =>
      disk.giveBack(
        room -
          (await stat(log).then(
            found => found.size,
            () => 0,
          )),
      ),
    )
    return room
  }

  async function settle(task_id: string): Promise<void> {
    const giveBack = rooms.get(task_id)
    rooms.delete(task_id)
    await giveBack?.()
  }

  async function register(task: TaskNote, context: ToolContext): Promise<void> {
    const { session_id, agent_run_id } = context
    await watch.add({ session_id, ...(agent_run_id === undefined ? {} : { agent_run_id }), task })
  }

  const list: BackgroundTasks['list'] = context =>
    context.notes.names(TASK_NOTE).map(name => context.notes.get(name) as TaskNote)

  return {
    async launch(request, context) {
      const task_id = `task_${randomUUID().slice(0, 8)}`
      const token = randomUUID()
      const log = artifactPath(context)
      const started_at = new Date().toISOString()
      const limit_ms = Math.min(request.timeout ?? DEFAULT_LIMIT, MAX_LIMIT)
      const room = await roomFor(task_id, log, context)
      if (room === 0)
        return { type: 'failure', code: 'quota_exceeded', message: `Not started: ${QUOTA_REACHED}.` }
      const known = { task_id, token, command: request.command, log, started_at, limit_ms }
      // Durable before there is a process: a crash at any moment leaves nothing that cannot be found by its token.
      await context.notes.save(TASK_NOTE + task_id, { ...known, pid: 0, start: undefined })
      const task = { ...known, ...(await spawnDetached(request, { log, token, cwd: context.cwd, room })) }
      await context.notes.save(TASK_NOTE + task_id, task)
      await register(task, context)
      return started(task, `Running in the background as ${task_id}.`)
    },
    async adopt(shell, command, context, ranMs) {
      const task_id = `task_${randomUUID().slice(0, 8)}`
      const log = shell.sink.spill()
      const started_at = new Date(Date.now() - ranMs).toISOString()
      const { process, token } = shell
      const task = { ...process, task_id, token, command, log, started_at, limit_ms: DEFAULT_LIMIT }
      context.notes.set(TASK_NOTE + task_id, task)
      await register(task, context)
      void shell.sink.flooded.then(() => shell.kill())
      const { text } = shell.sink.collected()
      const said = text === '' ? '' : `\nOutput until then:\n${text.slice(-8000)}`
      const first = `Not finished after ${Math.round(ranMs)} ms; it continues in the background as ${task_id}.`
      return started(task, first, said, ranMs)
    },
    list,
    find: (task_id, context) => context.notes.get(TASK_NOTE + task_id) as TaskNote | undefined,
    state,
    async stop(task, context) {
      await watch.remove(task.task_id)
      await killAll(leaderOf(task), task.token)
      await settle(task.task_id)
      context.notes.set(TASK_NOTE + task.task_id, { ...task, stopped: true })
    },
    resume: watch.resume,
    close: watch.close,
  }
}

async function state(task: TaskNote): Promise<TaskState> {
  if (task.stopped) return { type: 'stopped' }
  if (!task.ended && (await isRunning(task))) return { type: 'running' }
  const { code, overdue = false } = task.ended ?? (await endOf(task, new Date()))
  return { type: 'ended', code, overdue }
}

function started(task: TaskNote, text: string, more = '', timedOutAfterMs?: number): ToolStep {
  return {
    type: 'result',
    output_text: `${text} Its output goes to ${task.log} (Read it, or use TaskOutput; stop it with TaskStop).${more}`,
    structured: {
      backgroundTaskId: task.task_id,
      pid: task.pid,
      persistedOutputPath: task.log,
      ...(timedOutAfterMs === undefined ? {} : { timedOutAfterMs: Math.round(timedOutAfterMs) }),
    },
  }
}

interface Destination {
  readonly log: string
  readonly token: string
  readonly cwd: string
  /** Bytes that the log may have; without a bound when absent. */
  readonly room: number | undefined
}

/** A size limit for the writer of the log alone: it ends at the limit, also without a server, and the command with it. */
const CAPPED = `exec 2>/dev/null
blocks=$1; shift
"$@" 2>&1 | { ulimit -c 0; ulimit -f "$blocks"; exec cat 3>&-; }
[ "\${PIPESTATUS[1]}" -le 128 ] || echo '[The output reached its limit; the command was stopped.]'`
const BLOCK = 1024
/** A part of the call's limit, because it is reserved: many tasks of a session can run at once. */
const TASK_SHARE = 4

const capped = (argv: readonly string[], room: number | undefined): readonly string[] =>
  room === undefined
    ? argv
    : ['bash', '--noprofile', '--norc', '-c', CAPPED, 'bash', String(Math.ceil(room / BLOCK)), ...argv]

async function spawnDetached(
  { command, env, start = '', wrap }: TaskRequest,
  { log, token, cwd, room }: Destination,
): Promise<ProcessId> {
  const output = openFreshSync(log)
  const code = openFreshSync(exitFile(log))
  try {
    const argv = ['bash', '--noprofile', '--norc', '-c', SCRIPT, 'bash', command, start, markOf(token)]
    const [program = 'bash', ...args] = capped(wrap?.(argv) ?? argv, room)
    const child = spawn(program, args, {
      cwd,
      env: { ...env, [TOKEN_VARIABLE]: token },
      stdio: ['ignore', output, output, code],
      detached: true,
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    child.unref()
    return await identify(child.pid ?? 0)
  } finally {
    closeSync(output)
    closeSync(code)
  }
}
