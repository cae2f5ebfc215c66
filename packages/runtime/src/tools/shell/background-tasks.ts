/**
 * Commands that go on after their call has ended. Each is known by its notes in the session
 * (pid, start time, log), so that a restarted server can still list, read and stop it.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { ToolContext, ToolStep } from '@toolwire/core'
import { artifactPath } from '../bound-output.ts'
import { commandEnvironment } from './environment.ts'
import { identify, isAlive, killAll, members, type ProcessId, TOKEN_VARIABLE } from './processes.ts'
import type { ShellRun } from './run-shell.ts'

export interface TaskNote extends ProcessId {
  readonly task_id: string
  readonly token: string
  readonly command: string
  readonly log: string
  readonly started_at: string
  /** Stopped when it runs longer than this. */
  readonly limit_ms: number
  readonly stopped?: boolean
}

export type TaskState =
  | { readonly type: 'running' }
  | { readonly type: 'ended'; readonly code: number | undefined }
  | { readonly type: 'stopped' }

export interface BackgroundTasks {
  /** Starts a command and answers at once. */
  readonly launch: (
    request: { readonly command: string; readonly timeout?: number | undefined },
    context: ToolContext,
  ) => Promise<ToolStep>
  /** Takes over a command that outlived its call. */
  readonly adopt: (shell: ShellRun, command: string, context: ToolContext, ranMs: number) => Promise<ToolStep>
  readonly list: (context: ToolContext) => readonly TaskNote[]
  readonly find: (task_id: string, context: ToolContext) => TaskNote | undefined
  readonly state: (task: TaskNote) => Promise<TaskState>
  /** The kill ladder; resolves when nothing of it is left. Idempotent. */
  readonly stop: (task: TaskNote, context: ToolContext) => Promise<void>
}

const NOTE = 'task:'
const DEFAULT_LIMIT = 1_800_000
const MAX_LIMIT = 7_200_000
/** The exit code goes to a file of its own, so that it is known after a restart too. */
const SCRIPT = `trap 'echo $? > "$2"' EXIT\neval "$1"`

export function createBackgroundTasks(
  options: { readonly env_allow?: readonly string[] } = {},
): BackgroundTasks {
  function register(task: TaskNote, context: ToolContext): void {
    context.notes.set(NOTE + task.task_id, task)
    const timer = setTimeout(() => void killAll(task.pid, task.token).catch(() => {}), task.limit_ms)
    timer.unref()
  }

  return {
    async launch({ command, timeout }, context) {
      const task_id = `task_${randomUUID().slice(0, 8)}`
      const token = randomUUID()
      const log = artifactPath(context)
      const process = await spawnDetached({ command, log, token, cwd: context.cwd, allow: options.env_allow })
      const limit_ms = Math.min(timeout ?? DEFAULT_LIMIT, MAX_LIMIT)
      const task = {
        ...process,
        task_id,
        token,
        command,
        log,
        started_at: new Date().toISOString(),
        limit_ms,
      }
      // Durable before anybody hears of it: a crash now must not leave a process that nobody knows.
      await context.notes.save(NOTE + task_id, task)
      register(task, context)
      return started(task, `Running in the background as ${task_id}.`)
    },
    async adopt(shell, command, context, ranMs) {
      const task_id = `task_${randomUUID().slice(0, 8)}`
      const log = shell.sink.spill()
      const started_at = new Date(Date.now() - ranMs).toISOString()
      const task = {
        ...shell.process,
        task_id,
        token: shell.token,
        command,
        log,
        started_at,
        limit_ms: DEFAULT_LIMIT,
      }
      register(task, context)
      const { text } = shell.sink.collected()
      const said = text === '' ? '' : `\nOutput until then:\n${text.slice(-8000)}`
      return started(
        task,
        `Not finished after ${Math.round(ranMs)} ms; it goes on in the background as ${task_id}.`,
        said,
        ranMs,
      )
    },
    list: context => context.notes.names(NOTE).map(name => context.notes.get(name) as TaskNote),
    find: (task_id, context) => context.notes.get(NOTE + task_id) as TaskNote | undefined,
    state,
    async stop(task, context) {
      await killAll(task.pid, task.token)
      context.notes.set(NOTE + task.task_id, { ...task, stopped: true })
    },
  }
}

async function state(task: TaskNote): Promise<TaskState> {
  if (task.stopped) return { type: 'stopped' }
  if ((await isAlive(task)) || (await members(task.pid, task.token)).length > 0) return { type: 'running' }
  const code = await readFile(exitFile(task.log), 'utf8').catch(() => undefined)
  return { type: 'ended', code: code === undefined ? undefined : Number(code.trim()) }
}

const exitFile = (log: string): string => `${log}.exit`

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

async function spawnDetached(request: {
  readonly command: string
  readonly log: string
  readonly token: string
  readonly cwd: string
  readonly allow: readonly string[] | undefined
}): Promise<ProcessId> {
  mkdirSync(request.log.replace(/\/[^/]*$/, ''), { recursive: true })
  const output = openSync(request.log, 'a')
  try {
    const child = spawn(
      'bash',
      ['--noprofile', '--norc', '-c', SCRIPT, 'bash', request.command, exitFile(request.log)],
      {
        cwd: request.cwd,
        env: { ...commandEnvironment(process.env, request.allow), [TOKEN_VARIABLE]: request.token },
        stdio: ['ignore', output, output],
        detached: true,
      },
    )
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    child.unref()
    return await identify(child.pid ?? 0)
  } finally {
    closeSync(output)
  }
}
