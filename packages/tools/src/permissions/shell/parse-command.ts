/**
 * A shell command line as the list of simple commands it can run, wherever they hide:
 * pipelines, lists, loops, functions, substitutions, here-documents. A line the grammar
 * does not fully understand is not judged at all.
 */
import { parse } from 'unbash'
import { hazardOf } from './hazards.ts'
import { type SyntaxNode as Node, nodes, walk } from './syntax-node.ts'

export interface ShellWord {
  /** The text after quote removal; for a dynamic word the source text. */
  readonly value: string
  /** Holds an expansion, so its value is known only when it runs. */
  readonly dynamic: boolean
  /** The variables it expands when it is made of nothing worse than plain ones. */
  readonly variables: readonly string[] | undefined
  /** Names a file that an earlier command of the line found, so it is where that command looked. */
  readonly found?: boolean
  /** The shell puts names of files in its place. */
  readonly glob?: boolean
}

export interface ShellRedirect {
  readonly operator: string
  readonly target: ShellWord | undefined
}

export interface SimpleCommand {
  readonly words: readonly ShellWord[]
  readonly assignments: readonly string[]
  readonly redirects: readonly ShellRedirect[]
  readonly text: string
}

export interface Hazard {
  readonly text: string
  readonly because: string
}

export type ParsedCommand =
  | {
      readonly ok: true
      readonly commands: readonly SimpleCommand[]
      /** Redirections of groups and loops. */
      readonly redirects: readonly ShellRedirect[]
      /** Variables that only ever hold words written in the line itself. */
      readonly loopVariables: ReadonlyMap<string, readonly ShellWord[]>
      /** Constructs other than commands that may run one, or change what one means. */
      readonly hazards: readonly Hazard[]
    }
  | { readonly ok: false; readonly reason: string }

const MAX_LENGTH = 20_000

export function parseCommand(source: string): ParsedCommand {
  if (source.length > MAX_LENGTH) return { ok: false, reason: 'the command is too long to be judged' }
  // Other control characters can hide text from a person or split words differently than they look.
  if (/(?![\n\t])\p{Cc}/u.test(source)) return { ok: false, reason: 'the command holds control characters' }
  let tree: Node
  try {
    const script = parse(source)
    const problem = script.errors?.[0]
    if (problem) return { ok: false, reason: `the shell grammar does not accept it: ${problem.message}` }
    // The parser's nodes compute their fields lazily; plain data has all of them.
    tree = JSON.parse(JSON.stringify(script)) as Node
  } catch {
    return { ok: false, reason: 'the shell grammar does not accept it' }
  }
  return collect(tree, source)
}

function collect(tree: Node, source: string): ParsedCommand {
  const commands: SimpleCommand[] = []
  const redirects: ShellRedirect[] = []
  const hazards: Hazard[] = []
  const loopVariables = new Map<string, readonly ShellWord[]>()
  let broken: string | undefined
  walk(tree, node => {
    if (Array.isArray(node['errors']) && node['errors'].length > 0)
      broken = 'the shell grammar does not accept it'
    if (node.type === 'Command') commands.push(toCommand(node, source))
    if (node.type === 'Redirected') redirects.push(...nodes(node['redirects']).map(toRedirect))
    const because = hazardOf(node)
    if (because !== undefined) hazards.push({ text: textOf(node, source), because })
    if (isUnparsed(node)) broken = 'a substitution in it could not be parsed'
    if (node.type === 'For' || node.type === 'Select') addLoop(node, loopVariables)
  })
  if (broken !== undefined) return { ok: false, reason: broken }
  return { ok: true, commands, redirects, loopVariables, hazards }
}

const isUnparsed = (node: Node): boolean =>
  (node.type === 'CommandExpansion' ||
    node.type === 'ProcessSubstitution' ||
    node.type === 'ArithmeticCommandExpansion') &&
  node['script'] === undefined

function addLoop(node: Node, loops: Map<string, readonly ShellWord[]>): void {
  const name = String((node['name'] as Node | undefined)?.['value'] ?? '')
  const words = nodes(node['wordlist']).map(toWord)
  loops.set(name, [...(loops.get(name) ?? []), ...words])
}

function toCommand(node: Node, source: string): SimpleCommand {
  const prefix = nodes(node['prefix'])
  const suffix = nodes(node['suffix'])
  const name = node['name'] as Node | undefined
  const words = [
    ...(name ? [name] : []),
    ...suffix.filter(part => part.type === 'Word' || part.type === 'Assignment'),
  ]
  return {
    words: words.map(toWord),
    assignments: prefix.filter(part => part.type === 'Assignment').map(part => String(part['name'])),
    redirects: [...prefix, ...suffix].filter(isRedirect).map(toRedirect),
    text: textOf(node, source),
  }
}

const textOf = (node: Node, source: string): string =>
  source.slice(Number(node['pos']), Number(node['end'])).trim()

const isRedirect = (part: Node): boolean => part.type === 'Redirect'

function toRedirect(node: Node): ShellRedirect {
  const target = node['target'] as Node | undefined
  return { operator: String(node['operator']), target: target && toWord(target) }
}

const DYNAMIC = new Set([
  'SimpleExpansion',
  'ParameterExpansion',
  'CommandExpansion',
  'ArithmeticExpansion',
  'ProcessSubstitution',
  'BraceExpansion',
])

function toWord(node: Node): ShellWord {
  if (node.type === 'Assignment')
    return { value: String(node['text'] ?? ''), dynamic: false, variables: undefined }
  const expansions: Node[] = []
  walk(node['parts'] ?? [], part => {
    if (DYNAMIC.has(part.type ?? '')) expansions.push(part)
  })
  const plain = expansions.every(
    part => part.type === 'SimpleExpansion' && /^\$[a-z_][a-z_0-9]*$/i.test(String(part['text'])),
  )
  // `<(…)` is a path to a pipe; the commands in it are judged by themselves.
  const [only] = expansions
  if (only?.type === 'ProcessSubstitution' && only['text'] === node['text'])
    return { value: '/dev/stdin', dynamic: false, variables: undefined }
  return {
    value: String(node['value'] ?? node['text'] ?? ''),
    dynamic: expansions.length > 0,
    variables:
      expansions.length > 0 && plain ? expansions.map(part => String(part['text']).slice(1)) : undefined,
    glob: isGlob(node),
  }
}

const isGlob = (node: Node): boolean =>
  (node['parts'] === undefined ? [node] : nodes(node['parts'])).some(
    part => !QUOTED.has(part.type ?? '') && WILDCARD.test(String(part['text'] ?? '')),
  )
const QUOTED = new Set(['SingleQuoted', 'DoubleQuoted', 'AnsiCQuoted', 'LocaleString'])
const WILDCARD = /[*?[]/
