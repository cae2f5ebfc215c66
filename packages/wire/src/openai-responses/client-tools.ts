/** Shell and patch tools of the Responses API, which the client runs: models get them as functions. */
import type { LooseItem } from './request-schema.ts'

interface ClientTool {
  readonly type: 'local_shell' | 'shell' | 'apply_patch'
  readonly tool: LooseItem
}

const text = (description: string) => ({ type: 'string', description })
const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description })
const number = (description: string) => ({ type: 'number', description })

const define = (
  type: ClientTool['type'],
  description: string,
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[],
): readonly [string, ClientTool] => [
  type,
  {
    type,
    tool: {
      name: type,
      description,
      parameters: { type: 'object', properties, required, additionalProperties: false },
    },
  },
]

/** By the type that a request declares. */
export const CLIENT_TOOLS: ReadonlyMap<string, ClientTool> = new Map([
  define(
    'local_shell',
    'Runs one command on the machine of the user and returns its output.',
    {
      command: texts('The program and its arguments'),
      working_directory: text('The directory to run in'),
      timeout_ms: number('Milliseconds after which the command is stopped'),
    },
    ['command'],
  ),
  define(
    'shell',
    'Runs commands in a shell and returns the output of each.',
    {
      commands: texts('Shell commands; they may run at the same time'),
      timeout_ms: number('Milliseconds after which the commands are stopped'),
      max_output_length: number('Characters of output to return at most'),
    },
    ['commands'],
  ),
  define(
    'apply_patch',
    'Creates, changes or deletes one file.',
    {
      type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
      path: text('The file, relative to the working directory'),
      diff: text(
        'In the V4A format: for a new file every line begins with "+"; for a change "@@" lines give the context, "-" lines are removed and "+" lines are added. Not used to delete a file.',
      ),
    },
    ['type', 'path'],
  ),
])
