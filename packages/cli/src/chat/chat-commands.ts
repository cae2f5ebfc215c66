/** The slash commands of `toolwire chat`. */
import { markLine } from '@toolwire/core/parts'
import { formatCost, formatTokens } from '@toolwire/core/view'
import type { Server } from './connect.ts'
import { table } from './table.ts'

export interface CommandContext {
  readonly server: Server
  readonly session: string
  readonly switchTo: (session: string) => Promise<void>
  readonly locale: 'en' | 'zh-Hans' | 'zh-Hant'
}

type Run = (argument: string, context: CommandContext) => Promise<readonly string[]>

const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk']

/** Name, what it does, and the command itself. */
const COMMANDS: Readonly<Record<string, readonly [about: string, run: Run]>> = {
  help: ['this list', async () => help()],
  model: ['show or set the model', setModel],
  mode: [`show or set the permission mode: ${MODES.join(', ')}`, setMode],
  changes: ['files that this session changed', changes],
  undo: ['restore the files that the last turn changed', undo],
  sessions: ['list sessions, or open one by id', sessions],
  new: ['start a new session', startNew],
  cost: ['tokens and cost of this session', cost],
  web: [
    'address of this session in the web app',
    async (_, { server, session }) => [`${server.url}/sessions/${session}`],
  ],
}

/** Undefined when the text is no command; an unknown one is answered with the list. */
export function findCommand(
  text: string,
): ((context: CommandContext) => Promise<readonly string[]>) | undefined {
  const match = /^\/(\w+)(?:\s+(.*))?$/s.exec(text.trim())
  const name = match?.[1]
  if (name === undefined || !Object.hasOwn(COMMANDS, name)) return undefined
  const run = COMMANDS[name]?.[1]
  return run && (context => run(match?.[2]?.trim() ?? '', context))
}

const help = (): readonly string[] => [
  ...table([
    ...Object.entries(COMMANDS).map(([name, [about]]) => [`/${name}`, about]),
    ['/quit', 'leave; a run continues'],
  ]),
  '',
  'Enter sends, Alt Enter is a new line, Esc stops the run, Ctrl C clears, twice leaves, Ctrl D leaves.',
]

async function setModel(argument: string, { server, session }: CommandContext): Promise<readonly string[]> {
  const updated =
    argument === ''
      ? await server.client.sessions.get(session)
      : await server.client.sessions.update(session, { model: argument })
  return [`Model: ${markLine(updated.model)}`]
}

async function setMode(argument: string, { server, session }: CommandContext): Promise<readonly string[]> {
  if (argument === '') return [`Modes: ${MODES.join(', ')}`]
  if (!MODES.includes(argument))
    return [
      `"${markLine(argument)}" is not a mode. Use ${MODES.join(', ')}; the web app can also allow everything.`,
    ]
  await server.client.sessions.update(session, { permission_mode: argument })
  return [`Mode: ${argument}`]
}

interface UndoResponse {
  readonly files?: readonly { readonly path: string; readonly action: string }[]
}

async function askUndo({ server, session }: CommandContext, body: object): Promise<UndoResponse> {
  const response = await fetch(`${server.url}/api/sessions/${encodeURIComponent(session)}/undo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...server.headers },
    body: JSON.stringify(body),
  })
  const json = (await response.json()) as UndoResponse & { readonly error?: { readonly message: string } }
  if (!response.ok) throw new Error(json.error?.message ?? `The server answered ${response.status}.`)
  return json
}

const fileRows = ({ files = [] }: UndoResponse): readonly string[] =>
  files.length === 0
    ? ['No files were changed by this session.']
    : table(files.map(file => [markLine(file.path), file.action]))

async function changes(_: string, context: CommandContext): Promise<readonly string[]> {
  return fileRows(await askUndo(context, { session: true, dry_run: true }))
}

async function undo(_: string, context: CommandContext): Promise<readonly string[]> {
  const turn = context.server.client.session(context.session).getSnapshot().view.turns.at(-1)
  if (!turn) return ['There is nothing to undo.']
  return fileRows(await askUndo(context, { turn: turn.id }))
}

async function sessions(argument: string, { server, switchTo }: CommandContext): Promise<readonly string[]> {
  if (argument !== '') {
    await server.client.sessions.get(argument)
    await switchTo(argument)
    return []
  }
  const list = await server.client.sessions.list({ limit: 15 })
  if (list.sessions.length === 0) return ['No sessions yet.']
  return table(list.sessions.map(one => [one.id, one.status, markLine(one.title ?? 'Untitled')]))
}

async function startNew(_: string, { server, switchTo }: CommandContext): Promise<readonly string[]> {
  await switchTo((await server.client.sessions.create({})).id)
  return []
}

async function cost(_: string, { server, session, locale }: CommandContext): Promise<readonly string[]> {
  const { usage, cost_usd, cost_partial } = server.client.session(session).getSnapshot().view.stats
  const price =
    cost_usd === undefined
      ? 'price unknown'
      : `${cost_partial ? 'at least ' : ''}${formatCost(cost_usd, locale)}`
  return [`${formatTokens(usage.input, locale)} in · ${formatTokens(usage.output, locale)} out · ${price}`]
}
