/** The tool `memory`: Anthropic's memory commands, for models that were trained on them. */
import type { Tool } from '@toolwire/core'
import { defineTool } from '../define-tool.ts'
import { commandProblem, MemoryCommand, runMemoryCommand } from '../memory/memory-command.ts'
import type { MemoryStore } from '../memory/memory-store.ts'

export const createMemoryCommandTool = (store: MemoryStore): Tool<MemoryCommand> =>
  defineTool({
    name: 'memory',
    type: 'builtin',
    description:
      'Views and changes notes kept from earlier sessions, below /memories: user/, project/ and session/. Commands: view, create, str_replace, insert, delete, rename.',
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
