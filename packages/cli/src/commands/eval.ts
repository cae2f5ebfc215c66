/** `toolwire eval`: runs small tasks with a model, each in a new workspace, and prints which of them passed. */
import { homedir } from 'node:os'
import { AppError, type Model } from '@toolwire/core'
import { canonicalPath, findSandbox, type SandboxOptions } from '@toolwire/tools'
import type { Command } from 'commander'
import { terminalAsk } from '../ask-user.ts'
import { toBlueprint } from '../compose.ts'
import { composeModels, loadModelMakers } from '../compose-models.ts'
import { readConfig } from '../config.ts'
import { readConfigFile } from '../config-file.ts'
import { requireTrust } from '../config-trust.ts'
import type { EvalTask } from '../eval/eval-task.ts'
import { runTask, type TaskResult } from '../eval/run-task.ts'
import { scriptedModel } from '../eval/scripted-model.ts'
import { EVAL_TASKS } from '../eval/tasks.ts'
import { EXIT, ExitError } from '../exit.ts'
import { openProviderKeys } from '../provider-keys/provider-keys.ts'
import { print, printError, toJson } from '../terminal.ts'

interface EvalFlags {
  readonly model?: string
  readonly task?: readonly string[]
  readonly times: string
  readonly sandbox: boolean
  readonly data?: string
  readonly config?: string
  readonly json?: boolean
}

export function addEvalCommand(program: Command): void {
  program
    .command('eval')
    .description('run small tasks with a model and check what it did')
    .option('--model <id>', 'model to test (default a script that solves every task)')
    .option('--task <name...>', 'only these tasks')
    .option('--times <n>', 'runs of each task with a model, from 1 to 100', '5')
    .option('--no-sandbox', "run the model's commands as your user, without a sandbox")
    .option('--data <folder>', "data folder of the server, for the providers' keys")
    .option('--config <file>', 'configuration file')
    .option('--json', 'print the results as JSON')
    .action(async (flags: EvalFlags) => {
      process.exitCode = await evaluate(flags)
    })
}

interface EvalResult {
  readonly task: string
  readonly runs: number
  readonly passed: number
  readonly model_requests: number
  readonly calls: number
  /** Null when the price of the model is unknown. */
  readonly cost_usd: number | null
  /** Of all runs that did not pass, each once. */
  readonly problems: readonly string[]
}

async function evaluate(flags: EvalFlags): Promise<number> {
  const tasks = chooseTasks(flags.task)
  const times = toTimes(flags)
  const subject = await chooseSubject(flags)
  const stopping = new AbortController()
  const stop = (): void => stopping.abort(new ExitError('interrupted', 'Stopped.'))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  try {
    if (!flags.json) print(TABLE_HEAD)
    const results: EvalResult[] = []
    for (const task of tasks) {
      const result = await evaluateTask(task, { ...subject, times, signal: stopping.signal })
      if (!flags.json) print(toRow(result))
      results.push(result)
    }
    const passed = results.filter(isPassed).length
    if (flags.json)
      print(`${toJson({ model: flags.model ?? null, passed, total: results.length, tasks: results })}\n`)
    else print(`${passed} of ${results.length} tasks passed\n`)
    return passed === results.length ? 0 : EXIT.failed
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}

function chooseTasks(names: readonly string[] | undefined): readonly EvalTask[] {
  if (!names) return EVAL_TASKS
  const unknown = names.filter(name => !EVAL_TASKS.some(task => task.name === name))
  if (unknown.length > 0)
    throw new ExitError(
      'usage',
      `There is no task ${unknown.join(', ')}. Tasks: ${EVAL_TASKS.map(task => task.name).join(', ')}.`,
    )
  return EVAL_TASKS.filter(task => names.includes(task.name))
}

function toTimes({ model, times }: EvalFlags): number {
  const count = Number(times)
  if (!Number.isInteger(count) || count < 1 || count > 100)
    throw new ExitError('usage', '--times takes a number from 1 to 100.')
  return model === undefined ? 1 : count
}

interface EvalSubject {
  readonly modelFor: (task: EvalTask) => Model
  readonly sandbox?: SandboxOptions | undefined
}

/** Our own scripts need no sandbox: their commands are known. */
async function chooseSubject(flags: EvalFlags): Promise<EvalSubject> {
  const { model: id } = flags
  if (id === undefined) {
    printError('No --model was given: a script solves every task. This tests the tasks, not a model.\n')
    return { modelFor: task => scriptedModel(task.name, task.good) }
  }
  const sources = { flags: { data: flags.data, config: flags.config }, env: process.env, cwd: process.cwd() }
  const file = readConfigFile(sources)
  // It loads the models that the file names.
  await requireTrust(file, { ...sources, ask: terminalAsk() })
  const config = readConfig(sources, file)
  const { data, providers, providerHosts: hosts } = config
  const makers = await loadModelMakers(config)
  const keys = openProviderKeys({ data, env: { ...process.env }, hosts, providers, makers })
  const { find } = await composeModels(toBlueprint({ ...config, model: id }, process.env), keys)
  try {
    const model = find(id)
    return { modelFor: () => model, sandbox: await chooseSandbox(flags.sandbox, data) }
  } catch (error) {
    if (AppError.is(error)) throw new ExitError('usage', error.message)
    throw error
  }
}

/** The model's commands run unasked: they see neither the user's files nor the server's data. Throws ExitError. */
async function chooseSandbox(isWanted: boolean, data: string): Promise<SandboxOptions | undefined> {
  if (!isWanted) return undefined
  const { available } = await findSandbox()
  if (!available)
    throw new ExitError(
      'usage',
      'Commands of the model run without approval, so they need a sandbox, and none works here (toolwire doctor explains why). Install bubblewrap, or use --no-sandbox inside a container.',
    )
  return { required: true, escape: false, hidden: [homedir(), data].map(canonicalPath) }
}

interface TaskOptions extends EvalSubject {
  readonly times: number
  readonly signal: AbortSignal
}

async function evaluateTask(
  task: EvalTask,
  { modelFor, sandbox, times, signal }: TaskOptions,
): Promise<EvalResult> {
  const all: TaskResult[] = []
  for (let time = 0; time < times; time++)
    all.push(await runTask(task, { model: modelFor(task), sandbox, signal }))
  const sum = (value: (result: TaskResult) => number): number =>
    all.reduce((total, result) => total + value(result), 0)
  return {
    task: task.name,
    runs: times,
    passed: all.filter(({ problems }) => problems.length === 0).length,
    model_requests: sum(({ run }) => run.requests.length),
    calls: sum(({ run }) => run.calls.length),
    cost_usd: all.some(({ run }) => run.cost_usd === undefined) ? null : sum(({ run }) => run.cost_usd ?? 0),
    problems: [...new Set(all.flatMap(({ problems }) => problems))],
  }
}

const isPassed = ({ runs, passed }: EvalResult): boolean => runs === passed

const toLine = ([task = '', ...cells]: readonly string[], problems: string): string =>
  `${[task.padEnd(14), ...cells.map(cell => cell.padStart(8))].join(' ')}  ${problems}`.trimEnd()

const TABLE_HEAD = `${toLine(['task', 'passed', 'requests', 'calls', 'USD'], 'problems')}\n`

function toRow({ task, runs, passed, model_requests, calls, cost_usd, problems }: EvalResult): string {
  const cost = cost_usd === null ? '–' : cost_usd.toFixed(4)
  const cells = [task, `${passed}/${runs}`, String(model_requests), String(calls), cost]
  return `${toLine(cells, problems.join('; '))}\n`
}
