/** Pages of the reference that are computed from the sources. */
import { ERRORS } from '@toolwire/core'
import { createProgram, loadCommands } from '../packages/cli/src/command-line.ts'
import { configJsonSchema } from '../packages/cli/src/config.ts'
import { BARE_EVENTS } from '../packages/core/test/event-samples.ts'
import { SCOPES, type Scope } from '../packages/server/src/access/principal.ts'
import { toPath } from '../packages/server/src/openapi/document.ts'
import { TAGS } from '../packages/server/src/openapi/tags.ts'
import { ROUTES } from '../packages/server/src/routes.ts'

/** Text of a source in a table: shown as it is, also where Markdown, HTML or the site would read it in another way. */
export const toCell = (text: string): string =>
  text.replace(/[\\|<>*_[\]`{}]/g, character => `\\${character}`).replace(/\s+/g, ' ')

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``

export function createErrorsPage(): string {
  const rows = Object.entries(ERRORS)
  return page([
    '# Errors',
    'Every error of the API has one of these codes. The session API returns `{"error":{"code","message","retryable","request_id","details"?}}`; the other wires carry the same code in their own shape. [Troubleshooting](troubleshooting.md) says what to do. This page is generated from `packages/core/src/errors.ts`.',
    ['```sh', 'curl http://127.0.0.1:8000/api/sessions/unknown || true', '```'],
    [
      '| code | HTTP status | retryable | meaning |',
      '|---|---|---|---|',
      ...rows.map(
        ([name, { status, retryable, meaning }]) =>
          `| ${code(name)} | ${status} | ${retryable ? 'yes' : 'no'} | ${meaning} |`,
      ),
    ],
    '## Each code',
    ...rows.flatMap(([name, { status, retryable, meaning }]) => [
      `### ${code(name)}`,
      `HTTP ${status}. ${meaning} ${retryable ? 'The same request may succeed later.' : 'Repeating the same request does not help.'}`,
    ]),
  ])
}

const FAMILIES: Readonly<Record<string, string>> = {
  session: 'The session itself: its creation, settings and engine.',
  context: 'The prompt of the session, recorded once, and what changed since.',
  run: 'From an input until completed, paused, failed or cancelled.',
  input: 'What clients append: messages, outputs of client tools, decisions, cancellations.',
  turn: 'One request to a model.',
  message: 'One message of a model.',
  history: 'What the model is sent of a history that outgrew it.',
  block: 'One part of a message: text, thinking, or the arguments of a call. Deltas are previews.',
  tool: 'One call, from complete arguments to exactly one terminal event.',
  agent: 'A nested agent of a call.',
  note: 'Small facts of the runtime, by key.',
}

export function createEventsPage(): string {
  const families = Map.groupBy(BARE_EVENTS, ({ type }) => type.split('.')[0] ?? type)
  return page([
    '# Events',
    'The log of a session consists of these events. Each is shown with the fields that it always has; its other fields are in [the schema](../schema/event.schema.json). This page is generated from that schema.',
    'To read the log of a session:',
    [
      '```sh',
      'SESSION=$(curl -s -X POST http://127.0.0.1:8000/api/sessions | node -pe \'JSON.parse(require("fs").readFileSync(0)).id\')',
      'curl "http://127.0.0.1:8000/api/sessions/$SESSION/events?wire=canonical"',
      '```',
    ],
    'The store adds `session_id`, `seq` and `id` when it commits an event. New types and fields may appear: ignore what you do not know.',
    ...[...families].flatMap(([family, events]) => [
      `## ${family}`,
      FAMILIES[family] ?? '',
      ...events.flatMap(event => [
        `### ${code(event.type)}`,
        ['```json', JSON.stringify(event, null, 2), '```'],
      ]),
    ]),
  ])
}

interface Setting {
  readonly type?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Setting[]
  readonly minimum?: number
  readonly maximum?: number
}

export function createConfigurationPage(): string {
  const { properties } = configJsonSchema() as { readonly properties: Readonly<Record<string, Setting>> }
  const settings = Object.entries(properties).filter(([name]) => name !== '$schema')
  return page([
    '# Configuration file',
    'All settings of `toolwire.config.json`, with their types and limits. [The command](cli.md) says what each does, and which flag or variable sets it. This page is generated from [the JSON Schema](../schema/config.schema.json), which editors use to complete and check the file:',
    [
      '```json',
      JSON.stringify({ $schema: './schema/config.schema.json', port: 8000, model: 'demo' }, null, 2),
      '```',
    ],
    [
      '| setting | type | default |',
      '|---|---|---|',
      ...settings.map(
        ([name, setting]) =>
          `| ${code(name)} | ${typeOf(setting)} | ${setting.default === undefined ? '–' : code(JSON.stringify(setting.default))} |`,
      ),
    ],
  ])
}

function typeOf(setting: Setting): string {
  if (setting.enum !== undefined) return setting.enum.map(value => code(String(value))).join(', ')
  if (setting.anyOf !== undefined) return [...new Set(setting.anyOf.map(typeOf))].join(' or ')
  const { type = 'any', minimum, maximum } = setting
  const least =
    minimum === undefined || minimum <= -Number.MAX_SAFE_INTEGER ? undefined : `at least ${minimum}`
  const most = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? undefined : `at most ${maximum}`
  return [type, least, most].filter(part => part !== undefined).join(', ')
}

export function createHttpPage(): string {
  const routes = ROUTES.filter(({ method }) => method !== 'HEAD')
  return page([
    '# HTTP routes and scopes',
    'Every route, with the scope that an API key needs for it. `/openapi.json` describes requests and responses, and `/reference` shows them in a browser. Generated clients name their methods after the operations. This page is generated from the routes themselves.',
    ['```sh', 'curl http://127.0.0.1:8000/openapi.json', '```'],
    '## Scopes',
    [
      '| scope | routes |',
      '|---|---|',
      ...[...SCOPES, 'open' as const].map(scope => `| ${code(scope)} | ${countOf(scope)} |`),
    ],
    'A key with the scope `admin` may use every route. Routes that are `open` need no key. [API keys](cli.md#api-keys) explains what each scope is for.',
    ...TAGS.flatMap(({ name, description }) => {
      const rows = routes.filter(({ tag }) => tag === name)
      if (rows.length === 0) return []
      return [
        `## ${name}`,
        description,
        [
          '| route | scope | operation | what it does |',
          '|---|---|---|---|',
          ...rows.map(
            ({ method, path, scope, id, summary }) =>
              `| ${code(`${method} ${toPath(path)}`)} | ${code(scope)} | ${code(id)} | ${toCell(summary)} |`,
          ),
        ],
      ]
    }),
  ])
}

const countOf = (scope: Scope | 'open'): number =>
  ROUTES.filter(route => route.method !== 'HEAD' && route.scope === scope).length

export async function createCommandsPage(): Promise<string> {
  const program = createProgram()
  for (const add of await loadCommands()) add(program)
  return page([
    '# Commands and flags',
    'The help of every command. [The command](cli.md) explains settings, keys and exit codes. This page is generated from the commands.',
    ['```sh', 'toolwire --help', '```'],
    ...program.commands.flatMap(command => describeCommand(command, 'toolwire')),
  ])
}

type Program = ReturnType<typeof createProgram>

function describeCommand(command: Program, parent: string): readonly (string | readonly string[])[] {
  const name = `${parent} ${command.name()}`
  command.configureHelp({ helpWidth: 110 })
  return [
    `## ${code(name)}`,
    ['```text', command.helpInformation().replaceAll('```', "'''").trim(), '```'],
    ...command.commands.flatMap(inner => describeCommand(inner, name)),
  ]
}

/** Entries that programs import; reports of the others are in `schema/api`. */
const ENTRIES: readonly (readonly [report: string, entry: string, about: string])[] = [
  ['toolwire', 'toolwire', 'The library: an agent inside your application.'],
  ['toolwire.next', 'toolwire/next', 'Route handlers of Next.'],
  ['toolwire.fastify', 'toolwire/fastify', 'The plugin for Fastify.'],
  ['toolwire.testing', 'toolwire/testing', 'A server for tests, with the demo model.'],
  ['client', '@toolwire/client', 'The client for browsers and Node.'],
  ['react', '@toolwire/react', 'Parts and hooks for React.'],
  ['vue', '@toolwire/vue', 'Parts and composables for Vue.'],
]

export function createTypeScriptPage(reports: Readonly<Record<string, string>>): string {
  return page([
    '# TypeScript API',
    'What the packages export, as their declarations say it. [Put an agent into your application](embedding.md) and [React and Vue](ui-packages.md) explain how to use it. This page is generated from the declarations; reports of all entries are in `schema/api`.',
    [
      '```ts',
      "import { createToolwire } from 'toolwire'",
      "import { createClient } from '@toolwire/client'",
      '',
      "const toolwire = createToolwire({ model: 'demo' })",
      "const client = createClient({ baseUrl: 'http://127.0.0.1:8000' })",
      'void [toolwire.ready, client.sessions.create]',
      '```',
    ],
    ...ENTRIES.flatMap(([report, entry, about]) => {
      const text = reports[`schema/api/${report}.txt`]
      if (text === undefined) throw new Error(`there is no report of ${entry}`)
      return [`## ${code(entry)}`, about, ['```text', text.replace(/^# .*\n/, '').trim(), '```']]
    }),
  ])
}

const page = (parts: readonly (string | readonly string[])[]): string =>
  `${parts
    .map(part => (typeof part === 'string' ? part : part.join('\n')))
    .filter(part => part !== '')
    .join('\n\n')}\n`
