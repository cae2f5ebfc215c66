/** TaskOutput, TaskStop and TaskList: commands that run in the background. */
import { open, stat } from 'node:fs/promises'
import type { Tool, ToolContext, ToolProblem, ToolStep } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import type { BackgroundTasks, TaskState } from '../shell/background-tasks.ts'
import type { TaskNote } from '../shell/task-watch.ts'
import { stripAnsi } from '../strip-ansi.ts'

const MAX_BYTES = 30_000
const byId = z.strictObject({ task_id: z.string().describe('The id that Bash gave') })

export function createTaskTools(tasks: BackgroundTasks): readonly Tool[] {
  const validate = async (
    { task_id }: { readonly task_id: string },
    context: ToolContext,
  ): Promise<ToolProblem | undefined> => {
    if (tasks.find(task_id, context)) return undefined
    const known = tasks.list(context).map(task => task.task_id)
    return {
      code: 'not_found',
      message: `No such task: ${task_id}. ${known.length > 0 ? `Known: ${known.join(', ')}` : 'There are none.'}`,
    }
  }
  const output = defineTool({
    name: 'TaskOutput',
    type: 'builtin',
    description: 'Shows whether a background command still runs, and the end of its output.',
    input: byId,
    isReadOnly: () => true,
    access: async () => [],
    may_repeat: true,
    validate,
    async *call({ task_id }, context) {
      const task = tasks.find(task_id, context)
      if (task) yield await show(task, await tasks.state(task))
    },
  })
  const stop = defineTool({
    name: 'TaskStop',
    type: 'builtin',
    description: 'Stops a background command and everything it started.',
    input: byId,
    // It ends only what this session began, and somebody allowed that; but never for a message that may break off.
    isReadOnly: () => true,
    eager: false,
    access: async () => [],
    validate,
    async *call({ task_id }, context) {
      const task = tasks.find(task_id, context)
      if (!task) return
      await tasks.stop(task, context)
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
    description: 'Lists the background commands of this session.',
    input: z.strictObject({}),
    isReadOnly: () => true,
    access: async () => [],
    may_repeat: true,
    async *call(_, context) {
      const rows = await Promise.all(
        tasks.list(context).map(async task => ({ task, state: await tasks.state(task) })),
      )
      const text = rows
        .map(({ task, state }) => `${task.task_id} ${words(state)}: ${task.command}`)
        .join('\n')
      yield { type: 'result', output_text: text || 'There are no background commands.' }
    },
  })
  return [output, stop, list]
}

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
  const size = await stat(path).then(
    found => found.size,
    () => 0,
  )
  if (size === 0) return ''
  const file = await open(path)
  try {
    const length = Math.min(size, MAX_BYTES)
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.toString()
  } finally {
    await file.close()
  }
}
