/** Effects of exchanges beside their messages: files, commands, calls of other services. */
import { AppError, type HiddenExchange, isObject, parseJson, quoteInline } from '@toolwire/core'
import type { ServerContext } from '../context.ts'

export interface Effects {
  /** As an undo reports them. */
  readonly files: readonly EffectFile[]
  readonly commands: readonly { readonly call_id: string; readonly command: string }[]
  /** Calls of MCP servers and of the web: nothing takes them back. */
  readonly calls: readonly { readonly call_id: string; readonly name: string }[]
}

interface EffectFile {
  readonly path: string
  readonly action: string
}

const WEB: ReadonlySet<string> = new Set(['WebFetch', 'WebSearch'])
const MAX_COMMAND = 500

/** `dryRun` lists what an undo of the files would do; without it they are taken back, one by one. */
export async function effectsOf(
  context: Pick<ServerContext, 'ports'>,
  session: string,
  exchanges: readonly HiddenExchange[],
  dryRun = true,
): Promise<Effects> {
  const calls = exchanges.flatMap(callsOf)
  return {
    files: await changedFiles(context, session, exchanges, dryRun),
    commands: calls.flatMap(({ call_id, name, input_text }) =>
      name === 'Bash' ? [{ call_id, command: commandOf(input_text) }] : [],
    ),
    calls: calls.flatMap(({ call_id, name }) =>
      WEB.has(name) || name.startsWith('mcp__') ? [{ call_id, name }] : [],
    ),
  }
}

async function changedFiles(
  { ports }: Pick<ServerContext, 'ports'>,
  session: string,
  exchanges: readonly HiddenExchange[],
  dryRun: boolean,
): Promise<readonly EffectFile[]> {
  if (!ports.undo || exchanges.length === 0) return []
  const turns = exchanges.map(exchange => exchange.conversation_id)
  try {
    const { files } = await ports.undo(session, { turns, dryRun })
    return Array.isArray(files) ? (files as readonly EffectFile[]) : []
  } catch (error) {
    // No change is recorded for these exchanges.
    if (AppError.is(error) && error.code === 'unknown_call') return []
    throw error
  }
}

/** A call whose result says that it did not run counts as well: it may have had effects. */
const callsOf = ({ messages }: HiddenExchange) =>
  messages.flatMap(message =>
    message.role === 'assistant'
      ? message.content.flatMap(part => (part.type === 'tool_use' ? [part] : []))
      : [],
  )

function commandOf(input_text: string): string {
  const input = parseJson(input_text)
  const command = isObject(input) && typeof input['command'] === 'string' ? input['command'] : input_text
  return command.slice(0, MAX_COMMAND)
}

/** Paths and names in a note; a longer list is counted. */
const MAX_LISTED = 20
const MAX_NAME = 300

/**
 * Lists for the model the effects of the part that it does not see: paths and names of tools, and no words of it.
 * Undefined without effects.
 */
export function toBranchNote({ files, commands, calls }: Effects): string | undefined {
  const paths = files.filter(({ action }) => action !== 'unchanged').map(({ path }) => path)
  const changing = calls.filter(({ name }) => !WEB.has(name))
  const lines = [
    ...(paths.length > 0 ? [`- changed files: ${listed(paths)}`] : []),
    ...(commands.length > 0 ? [`- commands that ran: ${commands.length}`] : []),
    ...(changing.length > 0
      ? [`- calls of other services: ${listed([...new Set(changing.map(({ name }) => name))])}`]
      : []),
  ]
  if (lines.length === 0) return undefined
  return [
    'This conversation was continued from here before, in a way that is not shown. Effects of that are still in place:',
    ...lines,
    'Read a file before you change it.',
  ].join('\n')
}

const listed = (names: readonly string[]): string =>
  [
    ...names.slice(0, MAX_LISTED).map(name => quoteInline(name, MAX_NAME)),
    ...(names.length > MAX_LISTED ? [`and ${names.length - MAX_LISTED} more`] : []),
  ].join(', ')
