/** Runs a task in this process: a new workspace, the prompt and tools of the product, and the model under test. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Model, ModelRequest, Rec, SessionEvent } from '@toolwire/core'
import { createRuntime } from '@toolwire/runtime'
import { createMemoryStore } from '@toolwire/store'
import {
  createBackgroundTasks,
  createBuiltinTools,
  createToolSystem,
  type SandboxOptions,
  TASK_NOTE,
  type WatchedTask,
} from '@toolwire/tools'
import { composePrompt } from '../compose-prompt.ts'
import { canThink } from '../default-model.ts'
import { randomIds } from '../ids.ts'
import type { EvalRun, EvalTask } from './eval-task.ts'
import { checkRequests, readRun } from './read-run.ts'
import { prepareWorkspace, readCommits, readFiles } from './task-workspace.ts'

const MAX_TURNS = 30
const MAX_RECORDS = 1_000_000

export interface RunOptions {
  readonly model: Model
  /** The sandbox of commands; without one they run as the user. */
  readonly sandbox?: SandboxOptions | undefined
  /** Stops the run. */
  readonly signal?: AbortSignal | undefined
}

export interface TaskResult {
  /** Empty when the run passed. */
  readonly problems: readonly string[]
  readonly run: EvalRun
}

/** Resolves when the run has ended or waits. Removes the workspace and ends commands in the background. */
export async function runTask(task: EvalTask, options: RunOptions): Promise<TaskResult> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'toolwire-eval-')))
  try {
    const workspace = join(home, 'workspace')
    prepareWorkspace(task, workspace)
    const before = readFiles(workspace)
    const requests: ModelRequest[] = []
    const model = recording(options.model, requests)
    const records = await drive(task, { ...options, model, home, workspace })
    const after = readFiles(workspace)
    const run = readRun(records, { requests, before, after, commits: readCommits(task, workspace) })
    const problems = run.error === undefined ? task.check(run) : [`the run failed: ${run.error}`]
    return { problems: [...checkRequests(run, workspace), ...problems], run }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

const recording = (model: Model, requests: ModelRequest[]): Model => ({
  ...model,
  stream(request, signal) {
    requests.push(request)
    return model.stream(request, signal)
  },
})

interface DriveOptions extends RunOptions {
  readonly home: string
  readonly workspace: string
}

async function drive(task: EvalTask, options: DriveOptions): Promise<readonly Rec[]> {
  const { workspace, model, signal } = options
  const store = createMemoryStore()
  const tasks = createBackgroundTasks()
  const errors: unknown[] = []
  const runtime = createRuntime({
    log: store,
    models: () => model,
    ...composeParts(task, options, tasks),
    ids: randomIds,
    clock: { now: () => new Date() },
    node: randomUUID(),
    maxTurns: MAX_TURNS,
    onError: error => void errors.push(error),
  })
  const session = randomUUID()
  const events = openingOf(task, workspace, model.id)
  await store.append([{ session, create: true, events, state: 'running' }])
  const stop = (): void => void runtime.stop()
  signal?.addEventListener('abort', stop)
  try {
    await runtime.start()
    runtime.wake(session)
    await runtime.settled()
  } finally {
    signal?.removeEventListener('abort', stop)
    await runtime.stop()
    await stopCommands(await store.read(session, 0, MAX_RECORDS), tasks)
  }
  signal?.throwIfAborted()
  if (errors.length > 0) throw errors[0]
  return await store.read(session, 0, MAX_RECORDS)
}

type BackgroundTasks = ReturnType<typeof createBackgroundTasks>

function composeParts(task: EvalTask, { home, workspace, sandbox }: DriveOptions, tasks: BackgroundTasks) {
  const artifacts = join(home, 'artifacts')
  const bash = { sandbox }
  const tools = createBuiltinTools({ bash, tasks, hides_think: canThink })
  // No user is there to approve: commands run in the sandbox, edits stay in the workspace, all else pauses the run.
  const allow = task.permission_mode === undefined ? ['Bash'] : []
  const rules = { allow, deny: [...(task.deny ?? [])] }
  const system = createToolSystem({ tools, artifacts, permissions: { rules, source: 'the task' } })
  const { explain } = system
  return {
    tools: system,
    toolNames: tools.map(tool => tool.name),
    prompt: composePrompt(
      { prompt: { trusted: [] }, skills: { folders: [] }, data: home },
      workspace,
      artifacts,
      {
        options: { bash },
        explain,
      },
    ),
  }
}

/** Ends commands that continue in the background: the notes of the session name them. */
async function stopCommands(records: readonly Rec[], tasks: BackgroundTasks): Promise<void> {
  const notes = records.flatMap(({ ev }) =>
    ev.type === 'note' && ev.name.startsWith(TASK_NOTE) ? [[ev.name, ev.value] as const] : [],
  )
  for (const note of new Map(notes).values())
    await tasks.stop(note as WatchedTask['task'], { notes: { set() {} } })
  tasks.close()
}

function openingOf(task: EvalTask, cwd: string, model: string): readonly SessionEvent[] {
  const ts = new Date().toISOString()
  return [
    {
      type: 'session.created',
      ts,
      cwd,
      model,
      tools: ['*'],
      permission_mode: task.permission_mode ?? 'acceptEdits',
      context: { instructions: 'auto', environment: 'auto' },
    },
    {
      type: 'input.message',
      ts,
      run_id: randomUUID(),
      message_id: 'msg_task',
      role: 'user',
      content: [{ type: 'text', text: task.request }],
    },
  ]
}
