/**
 * Permission rules: `Tool`, `Tool(content)`, `mcp__server__*`. What the content means depends on
 * what the tool does: a command pattern, a path pattern, or `domain:host`. `@kind` before a rule
 * makes it one for agents of that kind alone.
 */
import { isAbsolute, join } from 'node:path'
import type { PermissionSubject } from '@toolwire/core'
import { type PathLooks, toPathPattern } from './path-pattern.ts'

export type RuleDecision = 'allow' | 'ask' | 'deny'

export interface Rule {
  readonly decision: RuleDecision
  /** As written; shown to people, and the identity of the rule. */
  readonly text: string
  /** The kind of agent that it is for, `main` for the session's own; every agent when absent. */
  readonly agent?: string
  readonly tool: string
  readonly content?: string
  /** Its source: `config`, `project`, `session` … */
  readonly source: string
  /** Sent to the model when the rule denies. */
  readonly message?: string
  /** Applies until then; always if absent. */
  readonly expires_at?: string
  /** Of a project's rule: it was set through this server, so that it can be taken back through it. */
  readonly set_here?: boolean
}

/** A rule as configuration holds it. Its examples are checked when it is loaded. */
interface RuleEntry {
  readonly rule: string
  readonly message?: string
  /** Contents that the rule must match, and must not. */
  readonly match?: readonly string[]
  readonly not_match?: readonly string[]
  /** Applies until then, in ISO 8601; always if absent. */
  readonly expires_at?: string
}

export interface RuleSet {
  readonly allow?: readonly (string | RuleEntry)[]
  readonly ask?: readonly (string | RuleEntry)[]
  readonly deny?: readonly (string | RuleEntry)[]
}

/** Throws a plain Error naming the rule when it does not parse or an example of it fails. */
export function loadRules(set: RuleSet, source: string, workspace: string): readonly Rule[] {
  const decisions: readonly RuleDecision[] = ['deny', 'ask', 'allow']
  return decisions.flatMap(decision =>
    (set[decision] ?? []).map(entry => loadRule(entry, decision, source, workspace)),
  )
}

function loadRule(
  entry: string | RuleEntry,
  decision: RuleDecision,
  source: string,
  workspace: string,
): Rule {
  const {
    rule: text,
    message,
    match = [],
    not_match = [],
    expires_at,
  } = typeof entry === 'string' ? { rule: entry } : entry
  const rule = parseRule(text, decision, source)
  const missed = match.find(example => !matchesExample(rule, example, workspace))
  if (missed !== undefined) throw new Error(`Rule ${text} does not match its example: ${missed}`)
  const caught = not_match.find(example => matchesExample(rule, example, workspace))
  if (caught !== undefined) throw new Error(`Rule ${text} matches its counter-example: ${caught}`)
  if (expires_at !== undefined && Number.isNaN(Date.parse(expires_at)))
    throw new Error(`Rule ${text} expires at no known moment: ${expires_at}`)
  return {
    ...rule,
    ...(message === undefined ? {} : { message }),
    ...(expires_at === undefined ? {} : { expires_at }),
  }
}

const AGENT = '[A-Za-z0-9][\\w.-]*'
const RULE = new RegExp(`^(?:@(${AGENT})\\s+)?([A-Za-z_][\\w.-]*\\*?)(?:\\((.+)\\))?$`, 's')

/** Throws a plain Error when the text has not the form of a rule. */
export function parseRule(text: string, decision: RuleDecision, source: string): Rule {
  const [, agent, tool, content] = RULE.exec(text.trim()) ?? []
  if (!tool)
    throw new Error(
      `Not a permission rule: ${text}. A rule is Tool, Tool(content) or mcp__server__*, with @agent before it for one kind of agent.`,
    )
  const all = content === undefined || content === '*'
  return {
    decision,
    text: text.trim().replace(/^(@\S+)\s+/, '$1 '),
    ...(agent === undefined ? {} : { agent }),
    tool,
    source,
    ...(all ? {} : { content }),
  }
}

/** The session's own agent, as rules name it. */
export const MAIN_AGENT = 'main'

/** The rule limited to this agent type; undefined if the type cannot be part of a rule. */
export const ruleFor = (agent: string, rule: string): string | undefined =>
  new RegExp(`^${AGENT}$`).test(agent) ? `@${agent} ${rule}` : undefined

/**
 * True if the rule applies to this agent type. An unknown type is bound by every rule, and allowed by none that
 * names a type.
 */
export function matchesAgent(rule: Pick<Rule, 'agent' | 'decision'>, agent: string | undefined): boolean {
  if (rule.agent === undefined || rule.agent === agent) return true
  return agent === undefined && rule.decision !== 'allow'
}

/** True if the rule applies now. One with an unreadable expiry does not. */
export const isActive = ({ expires_at }: Pick<Rule, 'expires_at'>, now: Date): boolean =>
  expires_at === undefined || Date.parse(expires_at) > now.getTime()

/** Tools that a rule for the first one governs too: reading is reading, however it is done. */
const FAMILIES: ReadonlyMap<string, readonly string[]> = new Map([
  ['Read', ['Read', 'Grep', 'Glob', 'LS', 'NotebookRead']],
  ['Edit', ['Edit', 'Write', 'NotebookEdit']],
])
/** Their results show a file's earlier content, so a rule that withholds it from reading binds them too. */
const SHOWS_OLD_CONTENT: readonly string[] = FAMILIES.get('Edit') ?? []

/** True if the rule is about this tool at all. */
export function matchesTool(rule: Rule, tool: string): boolean {
  if (rule.tool.endsWith('*')) return tool.startsWith(rule.tool.slice(0, -1))
  if (rule.tool === tool) return true
  if (rule.content !== undefined)
    return FAMILIES.get(rule.tool)?.includes(tool) || (withholds(rule) && SHOWS_OLD_CONTENT.includes(tool))
  // `mcp__server` matches all of its tools.
  return rule.tool.startsWith('mcp__') && tool.startsWith(`${rule.tool}__`)
}

/** True if the rule denies or asks about reading files. */
export const withholds = ({ tool, decision, content }: Rule): boolean =>
  tool === 'Read' && decision !== 'allow' && content !== undefined

/** True if the rule's content matches; a rule without content matches everything its tool does. */
export function matchesSubject(rule: Rule, subject: PermissionSubject, looks: PathLooks): boolean {
  if (rule.content === undefined) return true
  switch (subject.type) {
    case 'tool':
      return false
    case 'command':
      return fitsCommand(rule.content, subject.command)
    case 'path':
      return fitsPath(rule, subject, looks)
    case 'url':
      return fitsUrl(rule.content, subject.url)
  }
}

/**
 * `npm test` is that command exactly; `npm run:*` and `npm run *` are it with any further words; a `*` elsewhere
 * matches any text within a word.
 */
export function fitsCommand(pattern: string, command: string): boolean {
  const text = command.trim().replaceAll(/\s+/g, ' ')
  const words = pattern.trim().replace(/:\*$/, ' *').replaceAll(/\s+/g, ' ')
  const open = words.endsWith(' *')
  const body = open ? words.slice(0, -2) : words
  if (!open) return fitsParts(body.split('*'), text)
  return fitsParts(body.split('*'), text) || fitsParts([...`${body} `.split('*'), ''], text)
}

/** Literal parts in order with anything between them; linear, whatever the pattern. */
function fitsParts(parts: readonly string[], text: string): boolean {
  const [first = '', ...rest] = parts
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  const end = text.length - last.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= end
}

/** Denying and asking rules also match the name that the call gave; an allowance matches its target alone. */
function fitsPath(
  { content = '', decision }: Rule,
  { path, named = path }: Extract<PermissionSubject, { type: 'path' }>,
  looks: PathLooks,
): boolean {
  const isBinding = decision !== 'allow'
  const { fits } = toPathPattern(content, looks, isBinding)
  return fits(path) || (isBinding && fits(named))
}

function fitsUrl(pattern: string, url: string): boolean {
  const wanted = /^domain:(.+)$/.exec(pattern)?.[1]?.toLowerCase()
  if (wanted === undefined) return url === pattern
  const host = URL.parse(url)?.hostname.toLowerCase() ?? ''
  if (wanted.startsWith('*.')) return host.endsWith(wanted.slice(1))
  return host === wanted
}

function matchesExample(rule: Rule, example: string, workspace: string): boolean {
  const subjects: readonly PermissionSubject[] = [
    { type: 'command', command: example },
    { type: 'path', path: isAbsolute(example) ? example : join(workspace, example), write: false },
    { type: 'url', url: example, read_only: true },
  ]
  const [command, path, url] = subjects
  const subject = rule.content?.startsWith('domain:') ? url : rule.tool === 'Bash' ? command : path
  const looks = { workspaces: [workspace], realPath: (one: string) => one, ignoresCase: () => false }
  return subject !== undefined && matchesSubject(rule, subject, looks)
}
