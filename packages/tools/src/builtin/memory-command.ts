/** The tool `memory`: Anthropic's memory commands, for models that were trained on them. */
import type { Tool, ToolSetting } from '@toolwire/core'
import { defineTool } from '../define-tool.ts'
import { commandProblem, MemoryCommand, runMemoryCommand } from '../memory/memory-command.ts'
import type { MemoryStore } from '../memory/memory-store.ts'

export const COMMAND_TOOL = 'memory'

/** Models that were trained on the commands. */
export const usesCommands = ({ model }: ToolSetting): boolean => model.toLowerCase().includes('claude')

export const createMemoryCommandTool = (store: MemoryStore): Tool<MemoryCommand> =>
  defineTool({
    name: COMMAND_TOOL,
    type: 'builtin',
    // Other models get MemoryRead and MemoryWrite: one surface each.
    superseded_by: setting => (usesCommands(setting) ? undefined : 'MemoryRead'),
    description:
      'Views and changes notes kept from earlier sessions, below /memories: user/, project/ and session/. Commands: view, create, str_replace, insert, delete, rename. View the folder at the start of a task that may have a history. A note is a hint with a date: check it before you rely on it. Write lasting facts with their source; no secrets and nothing about today\u2019s task alone.',
    input: MemoryCommand,
    isReadOnly: ({ command }) => command === 'view',
    access: async ({ command }) => [{ key: 'memory', mode: command === 'view' ? 'read' : 'write' }],
    validate: async given => commandProblem(given),
    async *call(given, { roots, cwd, session_id }) {
      const answer = await runMemoryCommand(store, { workspace: roots[0] ?? cwd, session_id }, given)
      yield answer.ok ? { type: 'result', output_text: answer.text } : { type: 'failure', ...answer.problem }
    },
    view: ({ command, path, old_path }) => ({
      title: `${command} ${path ?? old_path ?? ''}`,
      kind: 'memory',
    }),
  })
