/** TaskOutput, TaskStop and TaskList: commands and agents that work in the background. */
import { setTimeout } from 'node:timers/promises'
import type { LiveAgent, Tool, ToolContext, ToolProblem, ToolStep } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { openFile } from '../safe-files/open-file.ts'
import type { BackgroundTasks, TaskState } from '../shell/background-tasks.ts'
import type { TaskNote } from '../shell/task-watch.ts'
import { stripAnsi } from '../strip-ansi.ts'

const MAX_BYTES = 30_000
const MAX_WAIT_MS = 600_000
const POLL_MS = 250
const byId = z.strictObject({ task_id: z.string().describe('The id that Bash or Agent gave') })

export function createTaskTools(tasks: BackgroundTasks): readonly Tool[] {
  const validate = async (
    { task_id }: { readonly task_id: string },
    context: ToolContext,
  ): Promise<ToolProblem | undefined> => {
    if (tasks.find(task_id, context) || agentOf(task_id, context)) return undefined
    const agents = (context.agents?.list() ?? []).map(agent => agent.agent_run_id)
    const known = [...tasks.list(context).map(task => task.task_id), ...agents]
    return {
      code: 'not_found',
      message: `No such task: ${task_id}. ${known.length > 0 ? `Known: ${known.join(', ')}` : 'There are none.'}`,
    }
  }
  const output = defineTool({
    name: 'TaskOutput',
    type: 'builtin',
    description: `Shows whether a background command or agent still works, and the last ${MAX_BYTES} bytes of its output; the whole output of a command is in the file that is named. To wait, set wait_ms instead of calling again.`,
    input: byId.extend({
      wait_ms: z
        .number()
        .int()
        .min(0)
        .max(MAX_WAIT_MS)
        .optional()
        .describe(
          `Return at its end, or after this time at the latest; 0 by default, at most ${MAX_WAIT_MS}`,
        ),
    }),
    isReadOnly: () => true,
    access: async () => [],
    may_repeat: true,
    validate,
    async *call({ task_id, wait_ms = 0 }, context) {
      const task = tasks.find(task_id, context)
      const isOver = async (): Promise<boolean> =>
        task ? (await tasks.state(task)).type !== 'running' : agentOf(task_id, context)?.state !== 'working'
      await waitUntil(isOver, wait_ms, context.signal)
      const agent = agentOf(task_id, context)
      if (task) yield await show(task, await tasks.state(task))
      else yield agent ? showAgent(agent) : showEnded(task_id)
    },
  })
  const stop = defineTool({
    name: 'TaskStop',
    type: 'builtin',
    description:
      'Stops a background command, or an agent in the background, and everything it started. Stop servers that you started when you are done, unless they are wanted.',
    input: byId,
    // It ends only what this session started with permission; but never for a message that may be aborted.
    isReadOnly: () => true,
    eager: false,
    access: async () => [],
    validate,
    async *call({ task_id }, context) {
      const task = tasks.find(task_id, context)
      if (task) await tasks.stop(task, context)
      else await context.agents?.stop(task_id, 'the agent that started it stopped it')
      yield {
        type: 'result',
        output_text: `${task_id} has been stopped.`,
        structured: { task_id, status: 'stopped' },
      }
    },
  })
  const list = defineTool({
    name: 'TaskList',
    type: 'builtin',
    description: 'Lists the background commands and agents of this session.',
    input: z.strictObject({}),
    isReadOnly: () => true,
    access: async () => [],
    may_repeat: true,
    async *call(_, context) {
      const rows = await Promise.all(
        tasks.list(context).map(async task => ({ task, state: await tasks.state(task) })),
      )
      const lines = [
        ...rows.map(({ task, state }) => `${task.task_id} ${words(state)}: ${task.command}`),
        ...(context.agents?.list() ?? []).map(agent => `${agentWords(agent)}: ${agent.name}`),
      ]
      yield { type: 'result', output_text: lines.join('\n') || 'Nothing works in the background.' }
    },
  })
  return [output, stop, list]
}

const agentOf = (id: string, { agents }: ToolContext): LiveAgent | undefined =>
  agents?.list().find(agent => agent.agent_run_id === id)

const agentWords = ({ agent_run_id, state }: LiveAgent): string =>
  `${agent_run_id} ${state === 'waiting' ? 'waits for a person' : 'works'}`

/** Resolves when `isOver`, at the end of the time, or when the call is stopped. */
async function waitUntil(isOver: () => Promise<boolean>, ms: number, signal: AbortSignal): Promise<void> {
  const end = performance.now() + ms
  while (!signal.aborted && performance.now() < end && !(await isOver()))
    await setTimeout(Math.min(POLL_MS, Math.max(0, end - performance.now())), undefined, { signal }).catch(
      () => undefined,
    )
}

const showEnded = (task_id: string): ToolStep => ({
  type: 'result',
  output_text: `${task_id} has ended. Its report comes as a message.`,
  structured: { task_id, status: 'ended' },
})

const showAgent = (agent: LiveAgent): ToolStep => ({
  type: 'result',
  output_text: `${agentWords(agent)} (${agent.name}). It has said last:\n${agent.text || '(nothing yet)'}`,
  structured: { task_id: agent.agent_run_id, status: 'running' },
  keep: 'tail',
})

function words(state: TaskState): string {
  switch (state.type) {
    case 'running':
    case 'stopped':
      return state.type
    case 'ended':
      if (state.overdue) return 'stopped at its time limit'
      return state.code === undefined ? 'ended' : `ended with exit code ${state.code}`
  }
}

async function show(task: TaskNote, state: TaskState): Promise<ToolStep> {
  const text = stripAnsi(await tail(task.log))
  return {
    type: 'result',
    output_text: `${task.task_id} ${words(state)}. Output (${task.log}):\n${text || '(no output)'}`,
    structured: {
      task_id: task.task_id,
      status: state.type,
      ...(state.type === 'ended' ? { exit_code: state.code ?? null } : {}),
    },
    keep: 'tail',
  }
}

async function tail(path: string): Promise<string> {
  const file = await openFile(path).catch(() => undefined)
  if (!file) return ''
  try {
    const { size } = await file.stat()
    const length = Math.min(size, MAX_BYTES)
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.toString()
  } finally {
    await file.close()
  }
}
