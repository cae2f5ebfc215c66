/** The policy with its rules: those of the configuration, of the workspace, and those a session has been given. */
import type { SessionState, Tool, ToolContext } from '@toolwire/core'
import { reasonOf } from '@toolwire/core'
import { type ListedRule, toListed } from './listed-rule.ts'
import { textsIn } from './named-files.ts'
import type { PermissionRequest } from './permission-request.ts'
import { judge, toMode } from './policy.ts'
import type { ProjectRules } from './project-rules.ts'
import { isActive, loadRules, MAIN_AGENT, parseRule, type Rule, type RuleSet } from './rules.ts'
import { RULE_NOTE, toGrant, toNoteValue } from './session-rule.ts'
import { createRuleSetter, type RuleSetter } from './set-rule.ts'
import type { ShellSurroundings } from './shell/judge-command.ts'
import type { Verdict } from './verdict.ts'

export interface PermissionOptions {
  readonly rules?: RuleSet
  /** The source of the rules, as shown to users. */
  readonly source?: string
  /** Stores rules that an approver wants to outlive the session (prefix `project:`). */
  readonly project?: ProjectRules
  /** Words of the configuration that name files it runs; changing one is asked about. */
  readonly programs?: readonly string[]
  /** The clock for expired rules; the machine's if absent. */
  readonly now?: () => Date
}

/** The facts of a call for a permission decision; the tool system's own call fits. */
interface PermissionCall {
  readonly context: ToolContext
  readonly scope: {
    readonly session: () => Pick<SessionState, 'permission_mode' | 'created' | 'agents'>
  }
  /** For a hypothetical call: its agent, instead of the session's. */
  readonly asker?: { readonly kind: string | undefined }
}

export interface Permissions {
  /** `extra` applies like a rule of the session. */
  readonly judge: (
    tool: Tool,
    input: unknown,
    call: PermissionCall,
    extra?: readonly Rule[],
  ) => Promise<Verdict>
  /**
   * Keeps a rule: `Bash(npm test:*)` for the session, `project:Bash(…)` beyond it; until `expires_at` when that is
   * given. A malformed rule is ignored.
   */
  readonly remember: (rule: string, call: PermissionCall, expires_at?: string) => Promise<void>
  /** Every active rule of the session, strongest source first. */
  readonly list: (session: SessionState) => Promise<readonly ListedRule[]>
  /** Takes a listed rule back. */
  readonly revoke: (session: SessionState, id: string) => Promise<RevokeResult>
  readonly set: RuleSetter
}

export type RevokeResult =
  | { readonly type: 'revoked'; readonly rule: ListedRule }
  /** It is the session's: forgetting this note takes it back. */
  | { readonly type: 'note'; readonly name: string; readonly rule: ListedRule }
  | { readonly type: 'fixed'; readonly rule: ListedRule }
  | { readonly type: 'unknown' }

/** File system lookups of a decision; with `within`, none outside of it. */
export interface FileSystemView {
  readonly isInside: (path: string, roots: readonly string[], within?: readonly string[]) => boolean
  readonly realPath: (path: string, within?: readonly string[]) => string
  readonly entries: ShellSurroundings['entries']
  /** True if names that differ in case alone are one file there. */
  readonly ignoresCase: (path: string) => boolean
  /** True if hard links give the file further names. */
  readonly hasOtherNames: (path: string) => boolean
}

/** Throws when a rule of the configuration is malformed or fails its own examples. */
export function createPermissions(options: PermissionOptions, files: FileSystemView): Permissions {
  const configured = loadRules(options.rules ?? {}, options.source ?? 'config', process.cwd())
  const { project, programs = [], now = () => new Date() } = options
  const inForce = (rules: readonly Rule[]): readonly Rule[] => rules.filter(rule => isActive(rule, now()))

  /** An agent with its own workspace is bound by the project's rules there and in the session's. */
  async function rulesOf(context: ToolContext, bases: readonly string[]): Promise<readonly Rule[]> {
    const workspace = context.roots[0] ?? context.cwd
    const session = context.notes.names(RULE_NOTE).map(name => toGrant(name, context.notes.get(name)))
    const outer = bases.filter(dir => dir !== workspace).map(async dir => (await project?.of(dir)) ?? [])
    const binding = (await Promise.all(outer)).flat().filter(rule => rule.decision !== 'allow')
    return inForce([...configured, ...((await project?.of(workspace)) ?? []), ...binding, ...session])
  }

  async function list(session: SessionState): Promise<readonly ListedRule[]> {
    const saved = (await project?.of(session.created?.cwd ?? '')) ?? []
    const grants = Object.entries(session.notes ?? {})
      .filter(([name, value]) => name.startsWith(RULE_NOTE) && value !== null)
      .map(([name, value]) => toGrant(name, value))
    return inForce([...configured, ...saved, ...grants]).map(toListed)
  }

  return {
    async judge(tool, input, call, extra = []) {
      const { context, scope, asker } = call
      if (tool.question) return { decision: 'ask', reason: 'It is a question to a person.' }
      const agent = asker ? asker.kind : kindOf(context.agent_run_id, scope.session())
      const own = { programs, rule_bases: basesOf(scope.session()) }
      const request = await toRequest(tool, input, context, files).catch(reasonOf)
      // Without what it would do no rule can be asked, so it is not done.
      if (typeof request === 'string') return { decision: 'deny', reason: unsaid(tool.name, request) }
      const rules = [...(await rulesOf(context, own.rule_bases)), ...extra]
      const verdict = judge({ ...request, ...own, agent }, rules, toMode(scope.session().permission_mode))
      return { ...verdict, subject: request.subject }
    },
    async remember(text, { context }, expires_at) {
      const bare = text.replace(/^(project|session):/, '')
      try {
        const rule = parseRule(bare, 'allow', 'session')
        const until = expires_at ? { expires_at } : {}
        if (!text.startsWith('project:') || !project)
          return await context.notes.save(`${RULE_NOTE}${rule.text}`, toNoteValue('allow', expires_at))
        const workspace = context.roots[0] ?? context.cwd
        await project.set(workspace, { rule: rule.text, decision: 'allow', ...until })
      } catch {
        // The approval itself stands; only the wish to remember it cannot be met.
      }
    },
    list,
    async revoke(session, id) {
      const rule = (await list(session)).find(one => one.id === id)
      if (!rule) return { type: 'unknown' }
      if (rule.source === 'session') return { type: 'note', name: `${RULE_NOTE}${rule.rule}`, rule }
      if (!rule.revocable) return { type: 'fixed', rule }
      await project?.revoke(session.created?.cwd ?? '', rule.rule)
      return { type: 'revoked', rule }
    },
    set: createRuleSetter({ project, now, list }),
  }
}

const basesOf = ({ created }: Pick<SessionState, 'created'>): readonly string[] =>
  created?.cwd === undefined ? [] : [created.cwd]

/** By the log, never by a name that a model chose. */
function kindOf(agent: string | undefined, { agents }: Pick<SessionState, 'agents'>): string | undefined {
  return agent === undefined ? MAIN_AGENT : agents[agent]?.spec.agent_type
}

async function toRequest(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  files: FileSystemView,
): Promise<PermissionRequest> {
  const read_only = tool.isReadOnly(input, context)
  const { roots, within, readable = [] } = context
  const workspace = roots[0] ?? context.cwd
  const mayLook = (dir: string): boolean => within === undefined || files.isInside(dir, within, within)
  return {
    tool: tool.name,
    subject: (await tool.subject?.(input, context)) ?? { type: 'tool', read_only },
    read_only,
    needs_permission: tool.needsPermissions?.(input, context),
    cwd: context.cwd,
    workspace,
    isInside: path => files.isInside(path, roots, within),
    isReadable: path => files.isInside(path, readable, within),
    hidden: context.hidden ?? [],
    realPath: path => files.realPath(path, within),
    entries: dir => (mayLook(dir) ? files.entries(dir) : []),
    ignoresCase: path => mayLook(path) && files.ignoresCase(path),
    hasOtherNames: path => mayLook(path) && files.hasOtherNames(path),
    ...(readsUnseen(tool) ? { texts: textsIn(input) } : {}),
  }
}

/** Whatever it reads, it does so by other means than the file tools of this server. */
const readsUnseen = ({ type, name }: Tool): boolean =>
  type !== 'builtin' || name === 'ReadMcpResource' || name === 'GetMcpPrompt'

const unsaid = (name: string, why: string): string =>
  `${name} failed to say what the call would do, so it was not run: ${why}`
