/** Bash: runs a command line. Whether it only reads is judged by the shell grammar, not by its words. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import type { Tool, ToolContext, ToolStep } from '@toolwire/core'
import { z } from 'zod'
import { artifactPath, OUTPUT_LIMITS } from '../bound-output.ts'
import { CWD_NOTE } from '../calls/call-context.ts'
import { defineTool } from '../define-tool.ts'
import { entriesOf } from '../files/entries-of.ts'
import { isInsideFor, realPathFor } from '../files/path-within.ts'
import { isInsideRoots } from '../files/resolve-path.ts'
import { watchFiles } from '../files/watch-files.ts'
import { repositoryOf } from '../git/repository-of.ts'
import { judgeCommand } from '../permissions/shell/judge-command.ts'
import type { Repository } from '../permissions/shell/read-hazards.ts'
import type { BackgroundTasks } from '../shell/background-tasks.ts'
import { describeExit } from '../shell/describe-exit.ts'
import { commandEnvironment } from '../shell/environment.ts'
import {
  type CommandSettings,
  createPrepareCommand,
  type PrepareCommand,
  type PreparedCommand,
} from '../shell/prepare-command.ts'
import { killAll, type ProcessId } from '../shell/processes.ts'
import { readingEnvironment } from '../shell/reading-environment.ts'
import { type ShellExit, type ShellRun, startShell } from '../shell/run-shell.ts'
import { findSandbox, type SandboxOptions } from '../shell/sandbox.ts'
import { UNKNOWN_OUTCOME } from '../tool-failure.ts'

export interface BashOptions extends CommandSettings {
  /** Keeps commands that outlive a call; without it they are stopped at the time limit. */
  readonly tasks?: BackgroundTasks
  readonly default_timeout_ms?: number
  /** Interval of progress reports for a silent command. */
  readonly heartbeat_ms?: number
  /** Ends what a command leaves running; otherwise it becomes a background task. */
  readonly reap?: boolean
}

const DEFAULT_TIMEOUT = 120_000
const MAX_TIMEOUT = 600_000
const DEFAULT_BACKGROUND = 1_800_000
const MAX_BACKGROUND = 7_200_000
const NEWS_MS = 50
const NEWS_CHARS = 30_000
const HEARTBEAT_MS = 5_000

const input = z.strictObject({
  command: z.string().min(1).describe('The command to run'),
  timeout: z
    .number()
    .int()
    .min(1)
    .max(MAX_BACKGROUND)
    .optional()
    .describe(
      `Milliseconds: ${DEFAULT_TIMEOUT} by default, at most ${MAX_TIMEOUT}; in the background ${DEFAULT_BACKGROUND} and ${MAX_BACKGROUND}`,
    ),
  description: z
    .string()
    .optional()
    .describe('What it does, in five to ten words, in the language of the person'),
  run_in_background: z.boolean().optional().describe('Return at once with a task id'),
  dangerouslyDisableSandbox: z
    .boolean()
    .optional()
    .describe('Run outside the sandbox, after it stopped the command; say why in description'),
})
/** Without a way out of the sandbox the field is accepted and does nothing. */
const confinedInput = input.extend({
  dangerouslyDisableSandbox: input.shape.dangerouslyDisableSandbox.meta({ unlisted: true }),
})
type BashInput = z.output<typeof input>

const DESCRIPTION = `Runs a bash command in a fresh shell: programs, tests, builds and git. The working directory is kept between calls, but a cd out of the workspace is undone; variables are not kept. There is no terminal and no standard input: no pager, editor or interactive form (-i) works.
Where there are tools for files, prefer them: Read, Grep, Glob and LS over cat, grep, find and ls, Edit and Write over sed and redirections. Commands that only read run without a question, so keep them apart from those that change something.
Output beyond ${OUTPUT_LIMITS.chars} characters is cut in the middle and kept in a file that Read and Grep can open.
A command that outlives its timeout continues in the background. Start servers, watchers and anything over two minutes with run_in_background and wait with TaskOutput, not with &, nohup or sleep loops. The end of a background command is reported with the next request; it does not wake an idle session.
Git: commit, amend, push, make branches, change settings or skip hooks only when asked to. Before a commit look at status, diff and log, and stage files by name, because -A and -f take along changes and secrets that are not yours. When a hook rejects a commit, fix the cause and commit again.`

export function createBashTool(options: BashOptions = {}): Tool<BashInput> {
  const { tasks, sandbox, reap = false } = options
  const { default_timeout_ms = DEFAULT_TIMEOUT, heartbeat_ms = HEARTBEAT_MS } = options
  const shop: BashDeps = {
    prepare: createPrepareCommand(options),
    repository: createRepositoryLook(sandbox),
    tasks,
    reap,
    default_timeout_ms,
    heartbeat_ms,
  }
  const { repository } = shop
  return defineTool({
    name: 'Bash',
    type: 'builtin',
    description: sandbox ? `${DESCRIPTION}\n${sandboxWords(sandbox)}` : DESCRIPTION,
    input: sandbox?.escape ? input : confinedInput,
    limits: [
      {
        name: 'timeout',
        value: `default ${DEFAULT_TIMEOUT} ms, at most ${MAX_TIMEOUT} ms; in the background ${MAX_BACKGROUND} ms`,
      },
      { name: 'output', value: `${OUTPUT_LIMITS.chars} characters, the rest in a file` },
      { name: 'kill', value: 'SIGTERM to the group, 2 s, SIGKILL, sweep of descendants' },
      { name: 'sandbox', value: sandbox ? sandboxWords(sandbox) : 'by the setting `sandbox`' },
    ],
    isReadOnly: ({ command, run_in_background }, context) =>
      !run_in_background && isReadOnly(command, context, repository.known(context)),
    subject: async ({ command, dangerouslyDisableSandbox }, context) => ({
      type: 'command',
      command,
      ...(namesGit(command) ? { repository: await repository.find(command, context) } : {}),
      ...(dangerouslyDisableSandbox && sandbox?.escape && (await findSandbox()).available
        ? { unconfined: true }
        : {}),
    }),
    // A line that may move the working directory must not run beside one that starts in it.
    access: async ({ command, run_in_background }, context) => [
      { key: '*', mode: !run_in_background && (await reads(command, context, shop)) ? 'read' : 'write' },
      { key: CWD_NOTE, mode: /\b(cd|pushd|popd)\b/.test(command) ? 'write' : 'read' },
    ],
    validate: ({ command }, context) => syntaxProblem(command, context),
    keeps_output: true,
    call: (call, context) => run(call, context, shop),
    async recover(_, context) {
      return await recover(context)
    },
    view: ({ command, description, dangerouslyDisableSandbox }) => ({
      title: `${description ?? command}${dangerouslyDisableSandbox && sandbox?.escape ? ' (outside the sandbox)' : ''}`,
      kind: 'command',
      body: { command },
    }),
  })
}

const PROCESS_NOTE = 'process:'

/** Whose repository a command line would work with. Only git knows, and answering takes a moment. */
interface RepositoryLook {
  readonly find: (command: string, context: ToolContext) => Promise<Repository>
  /** The result for this very context; the worst case without one. */
  readonly known: (context: ToolContext) => Repository
}

function createRepositoryLook(sandbox: SandboxOptions | undefined): RepositoryLook {
  const found = new WeakMap<ToolContext, Repository>()
  return {
    async find(command, context) {
      const known = found.get(context)
      if (known !== undefined || !namesGit(command) || !canLook(context.cwd, context)) return known ?? 'other'
      const repository = await repositoryOf({ context, sandbox })
      found.set(context, repository)
      return repository
    },
    known: context => found.get(context) ?? 'other',
  }
}

/** A line that hides the name is judged as if the repository were another one. */
const namesGit = (command: string): boolean => command.includes('git')

/** Of a call that is only explained, some directories may not be looked at. */
const canLook = (dir: string, { within }: ToolContext): boolean =>
  within === undefined || isInsideFor(dir, { roots: within, within })

const reads = async (
  command: string,
  context: ToolContext,
  { repository }: Pick<BashDeps, 'repository'>,
): Promise<boolean> => isReadOnly(command, context, await repository.find(command, context))

function isReadOnly(command: string, context: ToolContext, repository: Repository): boolean {
  const judged = judgeCommand(command, {
    cwd: context.cwd,
    home: homedir(),
    isInside: path => isInsideFor(path, context),
    hidden: context.hidden ?? [],
    realPath: path => realPathFor(path, context.within),
    entries: dir => (canLook(dir, context) ? entriesOf(dir) : []),
    repository,
  })
  return judged.ok && judged.commands.every(part => part.because === undefined)
}

/** The shell's error for a line it cannot parse; nothing has run then. */
async function syntaxProblem(
  command: string,
  context: ToolContext,
): Promise<{ code: string; message: string } | undefined> {
  const child = spawn('bash', ['-n', '-c', command], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: commandEnvironment(process.env),
    signal: context.signal,
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(0, 4000)
  })
  const code = await new Promise<number | null>(resolve => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
  return code === 2
    ? { code: 'precondition', message: `Exit code 2\n${said}Nothing was executed.` }
    : undefined
}

/** Dependencies of every call of the tool. */
interface BashDeps {
  readonly prepare: PrepareCommand
  readonly repository: RepositoryLook
  readonly tasks: BackgroundTasks | undefined
  readonly reap: boolean
  readonly default_timeout_ms: number
  readonly heartbeat_ms: number
}

const sandboxWords = ({ network = false, escape: mayLeave = false }: SandboxOptions): string =>
  `Where the machine has bubblewrap, commands run in a sandbox: only the workspace can be written, /tmp is new for every command${network ? '' : ', and there is no network'}.${mayLeave ? ' A command that cannot work there may ask for dangerouslyDisableSandbox.' : ''}`

async function* run(call: BashInput, context: ToolContext, shop: BashDeps): AsyncIterable<ToolStep> {
  const { tasks } = shop
  const background = call.run_in_background === true && tasks !== undefined
  const wish = { outside_sandbox: call.dangerouslyDisableSandbox === true, outlives: background }
  const prepared = await shop.prepare(wish, context)
  if ('problem' in prepared) {
    yield { type: 'failure', ...prepared.problem }
    return
  }
  const onlyReads = await reads(call.command, context, shop)
  const isOwn = (dir: string): boolean => isInsideRoots(dir, context.roots)
  const ready = onlyReads ? { ...prepared, env: readingEnvironment(prepared.env, isOwn) } : prepared
  if (background) {
    yield await tasks.launch({ command: call.command, timeout: call.timeout, ...ready }, context)
    return
  }
  // A crash cut off the attempt before: what it left running must not run beside this one.
  if (context.attempt > 1) await recover(context)
  yield* runInForeground(call, context, shop, { ...ready, onlyReads })
}

async function* runInForeground(
  call: BashInput,
  context: ToolContext,
  { tasks, reap, default_timeout_ms, heartbeat_ms }: BashDeps,
  { onlyReads, ...prepared }: PreparedCommand & { readonly onlyReads: boolean },
): AsyncIterable<ToolStep> {
  const { command } = call
  const limit = Math.min(call.timeout ?? default_timeout_ms, MAX_TIMEOUT)
  const started = performance.now()
  const files = onlyReads ? undefined : await watchFiles(context)
  const note = `${PROCESS_NOTE}${context.call_id}`
  const token = randomUUID()
  // Known before there is a process: a crash at any moment from now on leaves nothing that cannot be found.
  await context.notes.save(note, { token })
  const artifact = artifactPath(context)
  const { cwd, disk } = context
  const inline = context.output.chars
  const shell = await startShell({ command, cwd, artifact, token, inline, disk, reap, ...prepared })
  if (process.platform !== 'linux') await context.notes.save(note, { ...shell.process, token })
  yield { type: 'progress', data: shell.process }
  const end = yield* follow(shell, context.signal, { limit, heartbeat_ms })
  context.notes.set(note, null)
  if (end === 'timeout' && tasks) {
    await files?.finish()
    yield await tasks.adopt(shell, command, context, performance.now() - started)
    return
  }
  if (end !== 'exited') await shell.kill()
  const exit = await shell.exit
  if (exit.left.length > 0 && tasks) await tasks.adopt(shell, command, context, performance.now() - started)
  await shell.sink.close()
  await files?.finish()
  const output = shell.sink.collected()
  const ended = { command, exit, output, limit, timedOut: end === 'timeout', flooded: end === 'flooded' }
  const moved = moveTo(exit, context)
  yield describeExit(
    { ...ended, sandboxed: prepared.wrap !== undefined },
    context,
    moved === undefined ? [] : [moved],
  )
}

type BashEnd = 'exited' | 'timeout' | 'aborted' | 'flooded'

/** Progress until the shell ends, the time is over or the call is aborted. */
async function* follow(
  shell: ShellRun,
  signal: AbortSignal,
  { limit, heartbeat_ms }: { readonly limit: number; readonly heartbeat_ms: number },
): AsyncGenerator<ToolStep, BashEnd> {
  const started = performance.now()
  let told = started
  let end: BashEnd | undefined
  const { promise, resolve } = Promise.withResolvers<BashEnd>()
  const late = setTimeout(() => resolve('timeout'), limit).unref()
  const stop = (): void => resolve('aborted')
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  void shell.sink.flooded.then(() => resolve('flooded'))
  const over = Promise.race([shell.exit.then((): BashEnd => 'exited'), promise]).then(one => {
    clearTimeout(late)
    signal.removeEventListener('abort', stop)
    end = one
  })
  while (end === undefined) {
    let timer: NodeJS.Timeout | undefined
    const tick = new Promise<void>(resolve => {
      timer = setTimeout(resolve, NEWS_MS)
    })
    await Promise.race([over, tick])
    clearTimeout(timer)
    const output_delta = shell.sink.news(NEWS_CHARS)
    const now = performance.now()
    if (output_delta !== '') yield { type: 'progress', output_delta }
    else if (now - told > heartbeat_ms)
      yield { type: 'progress', message: `running for ${Math.round((now - started) / 1000)} s` }
    else continue
    told = now
  }
  return end
}

/** Keeps the directory the shell ended in, unless it left the allowed ones. */
function moveTo({ cwd }: ShellExit, context: ToolContext): string | undefined {
  if (cwd === undefined || cwd === context.cwd) return undefined
  if (isInsideRoots(cwd, context.roots)) {
    if (context.agent_run_id === undefined || context.cwd !== cwd) context.notes.set(CWD_NOTE, cwd)
    return undefined
  }
  return `Shell cwd was reset to ${context.cwd}`
}

/**
 * After a crash the pipes are gone; a surviving process is ended, its effects stay unknown, and its recorded
 * output is reported.
 */
async function recover(context: ToolContext): Promise<{ type: 'unknown'; message?: string }> {
  const known = context.notes.get(`${PROCESS_NOTE}${context.call_id}`)
  const { pid, start, token } = (known ?? {}) as Partial<ProcessId> & { readonly token?: unknown }
  if (typeof token === 'string') await killAll(pid === undefined ? undefined : { pid, start }, token)
  const path = artifactPath(context)
  if (!existsSync(path)) return { type: 'unknown' }
  return { type: 'unknown', message: `${UNKNOWN_OUTCOME} What it had said is in ${path}` }
}
