/**
 * Watches background commands until they end: applies their time limits and reports each end once. Each has a
 * small file while it runs, so that a restarted server continues to watch those of the former one.
 */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readWhole } from '../safe-files/open-file.ts'
import { putFile } from '../safe-files/put-file.ts'
import { canonicalPath } from '../safe-files/real-path.ts'
import { isAlive, killAll, members, type ProcessId } from './processes.ts'

/** The name of a task's note in the session, before its id. */
export const TASK_NOTE = 'task:'

export interface TaskNote extends ProcessId {
  readonly task_id: string
  readonly token: string
  readonly command: string
  readonly log: string
  readonly started_at: string
  /** Stopped when it runs longer than this. */
  readonly limit_ms: number
  readonly stopped?: boolean
  /** Set when it is over. */
  readonly ended?: TaskEnd
  /** The model was notified of its end. */
  readonly told?: boolean
}

export interface TaskEnd {
  readonly at: string
  /** Absent when nothing recorded it, as after a kill. */
  readonly code?: number
  /** It ran longer than it may. */
  readonly overdue?: boolean
}

/** Whose task it is. */
export interface WatchedTask {
  readonly session_id: string
  readonly agent_run_id?: string | undefined
  readonly task: TaskNote
}

export interface TaskWatchOptions {
  /** Keeps running tasks across a restart; without it only this process watches them. */
  readonly folder?: string | undefined
  /** Called once per task, with `ended` set; again after a restart if it failed. */
  readonly onEnd?: ((ended: WatchedTask) => Promise<void>) | undefined
  readonly now?: (() => Date) | undefined
}

export interface TaskWatch {
  /** Resolves when the task is on disk. */
  readonly add: (watched: WatchedTask) => Promise<void>
  /** The user stopped it: no notice follows. Idempotent. */
  readonly remove: (task_id: string) => Promise<void>
  /** Resumes the tasks of an earlier process. Unknown files are skipped. */
  readonly resume: () => Promise<void>
  /** Stops watching; the commands continue. */
  readonly close: () => void
}

const POLL_MS = 200

export function createTaskWatch({ folder, onEnd, now = () => new Date() }: TaskWatchOptions): TaskWatch {
  const timers = new Map<string, NodeJS.Timeout>()
  const fileOf = (task_id: string): string | undefined =>
    folder === undefined ? undefined : join(folder, `${task_id.replaceAll(/[^\w-]/g, '_')}.json`)

  function look(watched: WatchedTask): void {
    const { task } = watched
    const timer = setTimeout(() => {
      step(watched).then(
        over => {
          if (!over && timers.has(task.task_id)) look(watched)
        },
        // The log could not be written: the file is left for the next start.
        () => timers.delete(task.task_id),
      )
    }, POLL_MS)
    timer.unref()
    timers.set(task.task_id, timer)
  }

  async function step(watched: WatchedTask): Promise<boolean> {
    const { task } = watched
    const overdue = now().getTime() - Date.parse(task.started_at) > task.limit_ms
    if (overdue) await killAll(leaderOf(task), task.token)
    else if (await isRunning(task)) return false
    if (!timers.has(task.task_id)) return true
    const ended = { ...(await endOf(task, now())), ...(overdue ? { overdue } : {}) }
    await onEnd?.({ ...watched, task: { ...task, ended } })
    await forget(task.task_id)
    return true
  }

  async function forget(task_id: string): Promise<void> {
    clearTimeout(timers.get(task_id))
    timers.delete(task_id)
    const file = fileOf(task_id)
    if (file !== undefined) await rm(file, { force: true })
  }

  return {
    async add(watched) {
      const file = fileOf(watched.task.task_id)
      if (file !== undefined) await putFile(canonicalPath(file), JSON.stringify(watched))
      look(watched)
    },
    remove: forget,
    async resume() {
      for (const watched of await storedIn(folder)) look(watched)
    },
    close() {
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
    },
  }
}

/** The command itself, or anything it has started. */
export const isRunning = async (task: TaskNote): Promise<boolean> =>
  (task.pid > 1 && (await isAlive(task))) || (await members(leaderOf(task), task.token)).length > 0

/** Undefined for a task whose process was never recorded: then only its token finds it. */
export const leaderOf = (task: TaskNote): ProcessId | undefined => (task.pid > 1 ? task : undefined)

/** The file that a command writes its exit code to. */
export const exitFile = (log: string): string => `${log}.exit`

/** The end of a task that no longer runs. */
export async function endOf({ log }: TaskNote, at: Date): Promise<TaskEnd> {
  const text = (await readWhole(exitFile(log), 100).catch(() => '')).toString().trim()
  return { at: at.toISOString(), ...(/^\d+$/.test(text) ? { code: Number(text) } : {}) }
}

async function storedIn(folder: string | undefined): Promise<readonly WatchedTask[]> {
  if (folder === undefined) return []
  const names = (await readdir(folder).catch(() => [])).filter(name => name.endsWith('.json'))
  const read = await Promise.all(
    names.map(async name => {
      const text = await readFile(join(folder, name), 'utf8').catch(() => '')
      try {
        return [JSON.parse(text) as WatchedTask]
      } catch {
        return []
      }
    }),
  )
  return read.flat().filter(({ session_id, task }) => typeof session_id === 'string' && task?.pid > 1)
}
