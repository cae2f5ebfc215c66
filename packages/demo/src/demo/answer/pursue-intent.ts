/**
 * The next step for one intent, given the finished ones: a call, nothing, or the statement that no offered tool
 * can do it. At most one retry, so no intent can loop.
 */
import type { ToolSpec } from '@toolwire/core'
import { fillSchema } from '../input/fill-schema.ts'
import { fitInput } from '../input/fit-input.ts'
import { isSchema } from '../input/json-schema.ts'
import type { SettledCall } from '../understand/conversation.ts'
import type { Intent } from '../understand/intent.ts'
import { type ToolRole, toolFor } from '../understand/known-tools.ts'
import { matchTool } from '../understand/match-tool.ts'
import { foundPaths } from '../understand/read-listing.ts'

export interface PlannedCall {
  readonly name: string
  readonly input: unknown
  /** The user's reason for denying the previous call. */
  readonly because?: string
}

export interface Pursuit {
  /** Calls that served this intent so far. */
  readonly done: readonly SettledCall[]
  readonly next?: PlannedCall
  /** No offered tool can do this. */
  readonly isImpossible?: boolean
}

/** Takes a settled call that answers `call` out of the pool. */
type TakeSettled = (call: PlannedCall) => SettledCall | undefined

/**
 * Pursues all intents over the same settled calls; each call serves one intent. A call whose input
 * an approver edited still counts: it is given to the intent that waits for a call of that tool.
 */
export function pursueAll(
  intents: readonly Intent[],
  calls: readonly SettledCall[],
  tools: readonly ToolSpec[],
): { readonly pursuits: readonly Pursuit[]; readonly rest: readonly SettledCall[] } {
  const left = [...calls]
  const takeAt = (at: number): SettledCall | undefined => (at < 0 ? undefined : left.splice(at, 1)[0])
  const exact: TakeSettled = call => {
    const key = JSON.stringify(call.input)
    return takeAt(
      left.findIndex(settled => settled.name === call.name && JSON.stringify(settled.input) === key),
    )
  }
  const strict = intents.map(intent => pursue(intent, tools, exact))
  const pursuits = strict.map(pursuit => {
    const edited = takeAt(left.findIndex(settled => settled.name === pursuit.next?.name))
    return edited ? { done: [...pursuit.done, edited] } : pursuit
  })
  return { pursuits, rest: left }
}

/** Walks the intent's steps over what is settled; stops at the first step that is not. */
function pursue(intent: Intent, tools: readonly ToolSpec[], take: TakeSettled): Pursuit {
  const first = firstCall(intent, tools)
  if (!first) return { done: [], isImpossible: true }
  const done: SettledCall[] = []
  let call: PlannedCall | undefined = first
  while (call) {
    const settled = take(call)
    if (!settled) return { done, next: call }
    done.push(settled)
    call = followUp(intent, done, tools)
  }
  return { done }
}

type Option = readonly [role: ToolRole, input: Readonly<Record<string, unknown>>]

function pick(options: readonly Option[], tools: readonly ToolSpec[], text = ''): PlannedCall | undefined {
  for (const [role, input] of options) {
    const tool = toolFor(role, tools)
    if (tool) return { name: tool.name, input: fitInput(tool, input, text) }
  }
  return undefined
}

function firstCall(intent: Intent, tools: readonly ToolSpec[]): PlannedCall | undefined {
  if (intent.type === 'tool') return { name: intent.name, input: intent.input }
  if (intent.type === 'weather') return weatherCall(intent, tools)
  if (intent.type !== 'edit') return pick(optionsFor(intent), tools)
  const read: Option = ['read', { file_path: intent.path, path: intent.path }]
  return toolFor('edit', tools) && pick([read, ...optionsFor(intent)], tools)
}

function weatherCall(
  intent: Extract<Intent, { type: 'weather' }>,
  tools: readonly ToolSpec[],
): PlannedCall | undefined {
  const own = matchTool(
    intent.query,
    tools.filter(tool => /weather|forecast|天气|天氣/iu.test(`${tool.name} ${tool.description ?? ''}`)),
  )
  const web = toolFor('web', tools)
  if (!own || own.tool === web) return pick(optionsFor(intent), tools, intent.query)
  const { place } = intent
  const filled = fillSchema(own.tool.input_schema, intent.query)
  const fitted = fitInput(own.tool, place === '' ? {} : { city: place, location: place, place }, intent.query)
  const input = isSchema(filled) && isSchema(fitted) ? { ...filled, ...fitted } : fitted
  return { name: own.tool.name, input }
}

const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const shell = (command: string, description: string): Option => ['shell', { command, description }]
/** Tools that can do it, best first. */
function optionsFor(intent: Intent): readonly Option[] {
  switch (intent.type) {
    case 'list':
      return [
        shell(intent.path === undefined ? 'ls -la' : `ls -la ${shellPath(intent.path)}`, 'List files'),
        ['list', { path: intent.path ?? '.' }],
        ['find', { pattern: intent.path === undefined ? '*' : `${intent.path.replace(/\/$/, '')}/*` }],
      ]
    case 'read':
      return [
        ['read', { file_path: intent.path, path: intent.path }],
        shell(`cat ${shellPath(intent.path)}`, `Show ${intent.path}`),
      ]
    case 'search':
      return [
        [
          'search',
          {
            pattern: intent.pattern,
            ...(intent.path === undefined ? {} : { path: intent.path }),
            output_mode: 'content',
          },
        ],
        shell(
          `grep -rn -- ${shellQuote(intent.pattern)} ${shellPath(intent.path ?? '.')}`,
          `Search for ${intent.pattern}`,
        ),
      ]
    case 'find':
      return [
        ['find', { pattern: intent.pattern }],
        shell(`find . -name ${shellQuote(baseName(intent.pattern))}`, 'Find files'),
      ]
    case 'run':
      return [shell(intent.command, `Run ${intent.command}`.slice(0, 80))]
    case 'write':
      return [
        ['write', { file_path: intent.path, path: intent.path, content: intent.content }],
        shell(
          `printf '%s\\n' ${shellQuote(intent.content)} > ${shellPath(intent.path)}`,
          `Write ${intent.path}`,
        ),
      ]
    case 'edit':
      return [
        [
          'edit',
          { file_path: intent.path, path: intent.path, old_string: intent.from, new_string: intent.to },
        ],
      ]
    case 'time':
      return [['time', {}], shell('date', 'Show the date and time')]
    case 'weather':
    case 'web':
      return [['web', { query: intent.query }]]
    case 'fetch':
      return [
        ['fetch', { url: intent.url, prompt: 'Summarise this page.' }],
        shell(`curl -sL ${shellQuote(intent.url)}`, 'Fetch the page'),
      ]
    case 'remember':
      return [['remember', { file_path: 'notes.md', content: intent.note }]]
    case 'recall':
      return [['recall', {}]]
    case 'agent':
      return [['agent', { description: intent.prompt.slice(0, 40), prompt: intent.prompt }]]
    case 'tool':
      return []
  }
}

const shellPath = (path: string): string =>
  /^[\w@~./-]+$/.test(path) && !path.startsWith('-') ? path : shellQuote(path)
const baseName = (path: string): string => path.split('/').at(-1) ?? path

const isMissing = (call: SettledCall): boolean =>
  call.is_error && /not exist|no such file|not found|ENOENT|不存在|找不到/iu.test(call.output)

/** The step behind the latest one, if the intent has one. `done` is never empty. */
function followUp(
  intent: Intent,
  done: readonly SettledCall[],
  tools: readonly ToolSpec[],
): PlannedCall | undefined {
  const latest = done.at(-1)
  if (!latest) return undefined
  if ((intent.type === 'read' || intent.type === 'edit') && done.length === 1 && isMissing(latest))
    return pick(
      [
        ['find', { pattern: `**/${baseName(intent.path)}*` }],
        ['list', { path: '.' }],
      ],
      tools,
    )
  if (intent.type === 'read' && done.length === 2 && !latest.is_error)
    return readOnlyOne(foundPaths(latest.output), tools)
  if (
    intent.type === 'edit' &&
    done.length === 1 &&
    !latest.is_error &&
    latest.name === toolFor('read', tools)?.name
  )
    return pick(optionsFor(intent), tools)
  if (intent.type === 'edit' && done.length === 2 && latest.is_error) return amended(intent, latest, tools)
  if (
    intent.type === 'write' &&
    /not been read|read it first/i.test(latest.output) &&
    latest.is_error &&
    done.length === 1
  )
    return pick([['read', { file_path: intent.path, path: intent.path }]], tools)
  if (intent.type === 'write' && done.length === 2 && !latest.is_error)
    return pick([optionsFor(intent)[0] ?? shell('true', '')], tools)
  return undefined
}

/** A file that was named almost right, where there is no other that could be meant. */
function readOnlyOne(paths: readonly string[], tools: readonly ToolSpec[]): PlannedCall | undefined {
  const [path, ...others] = paths
  if (path === undefined || others.length > 0 || path.endsWith('/')) return undefined
  return pick([['read', { file_path: path, path }]], tools)
}

const WISH =
  /(?:\b(?:use|make it|write)|换成|換成|改成|改为|改為|用)\s*(?:"([^"]+)"|'([^']+)'|`([^`]+)`|“([^”]+)”|「([^」]+)」|([^\s，。,.;!]+))/iu

/** The same edit with the words that a denial asks for, if it asks for any. */
function amended(
  intent: Extract<Intent, { type: 'edit' }>,
  { output }: SettledCall,
  tools: readonly ToolSpec[],
): PlannedCall | undefined {
  const because = /They said: (.+)$/s.exec(output)?.[1]?.trim()
  const to = WISH.exec(because ?? '')
    ?.slice(1)
    .find(words => words !== undefined)
  if (because === undefined || to === undefined || to === intent.to) return undefined
  const call = pick(optionsFor({ ...intent, to }), tools)
  return call && { ...call, because }
}
