/** The policy with its rules: those of the configuration, of the workspace, and those a session has been given. */
import { join, sep } from 'node:path'
import type { SessionState, Tool, ToolContext } from '@toolwire/core'
import { reasonOf } from '../reason-of.ts'
import { type ListedRule, toListed } from './listed-rule.ts'
import type { PermissionRequest } from './permission-request.ts'
import { judge, toMode, type Verdict } from './policy.ts'
import type { ProjectRules } from './project-rules.ts'
import { isInForce, loadRules, MAIN_AGENT, parseRule, type Rule, type RuleSet } from './rules.ts'
import { RULE_NOTE, toGrant, toNoteValue } from './session-rule.ts'
import { createRuleSetter, type RuleSetter } from './set-rule.ts'
import type { ShellSurroundings } from './shell/judge-command.ts'
import type { Repository } from './shell/what-it-meets.ts'

export interface PermissionOptions {
  readonly rules?: RuleSet
  /** Where the rules come from, as people are told. */
  readonly source?: string
  /** Where rules are kept that an approver wants to outlive the session (`project:` before the rule). */
  readonly project?: ProjectRules
  /** Tells which rules have expired; the machine's clock when absent. */
  readonly now?: () => Date
}

/** What a permission decision needs to know of a call; the tool system's own call fits. */
interface PermissionCall {
  readonly context: ToolContext
  readonly scope: {
    readonly session: () => Pick<SessionState, 'permission_mode' | 'created' | 'agents'>
  }
  /** For a call that nobody makes now: who would make it, in place of what the session knows. */
  readonly asker?: { readonly kind: string | undefined }
}

export interface Permissions {
  /** `extra` counts like a rule of the session. */
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
  /** Every rule that counts in the session now, strongest source first. */
  readonly list: (session: SessionState) => Promise<readonly ListedRule[]>
  /** Takes a listed rule back. */
  readonly revoke: (session: SessionState, id: string) => Promise<Revoked>
  readonly set: RuleSetter
}

export type Revoked =
  | { readonly type: 'revoked'; readonly rule: ListedRule }
  /** It is the session's: forgetting this note takes it back. */
  | { readonly type: 'note'; readonly name: string; readonly rule: ListedRule }
  | { readonly type: 'fixed'; readonly rule: ListedRule }
  | { readonly type: 'unknown' }

/** What a decision may look up on disk. */
export interface FileLooks {
  readonly isInside: (path: string, roots: readonly string[]) => boolean
  readonly entries: ShellSurroundings['entries']
  readonly repositoryOf: (dir: string, workspace: string) => Repository
}

/** Throws when a rule of the configuration is malformed or fails its own examples. */
export function createPermissions(options: PermissionOptions, files: FileLooks): Permissions {
  const configured = loadRules(options.rules ?? {}, options.source ?? 'config', process.cwd())
  const { project, now = () => new Date() } = options
  const inForce = (rules: readonly Rule[]): readonly Rule[] => rules.filter(rule => isInForce(rule, now()))

  async function rulesOf(context: ToolContext): Promise<readonly Rule[]> {
    const workspace = context.roots[0] ?? context.cwd
    const session = context.notes.names(RULE_NOTE).map(name => toGrant(name, context.notes.get(name)))
    return inForce([...configured, ...((await project?.of(workspace)) ?? []), ...session])
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
      const request = await toRequest(tool, input, context, files).catch(reasonOf)
      // Without what it would do no rule can be asked, so it is not done.
      if (typeof request === 'string') return { decision: 'deny', reason: unsaid(tool.name, request) }
      const rules = [...ownSettings(request), ...(await rulesOf(context)), ...extra]
      return judge({ ...request, agent }, rules, toMode(scope.session().permission_mode))
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

/** By the log, never by a name that a model chose. */
function kindOf(agent: string | undefined, { agents }: Pick<SessionState, 'agents'>): string | undefined {
  return agent === undefined ? MAIN_AGENT : agents[agent]?.spec.agent_type
}

async function toRequest(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  files: FileLooks,
): Promise<PermissionRequest> {
  const read_only = tool.isReadOnly(input, context)
  const workspace = context.roots[0] ?? context.cwd
  return {
    tool: tool.name,
    subject: (await tool.subject?.(input, context)) ?? { type: 'tool', read_only },
    read_only,
    cwd: context.cwd,
    workspace,
    isInside: path => files.isInside(path, context.roots),
    hidden: context.hidden ?? [],
    entries: files.entries,
    repositoryOf: dir => files.repositoryOf(dir, workspace),
  }
}

const unsaid = (name: string, why: string): string =>
  `${name} failed to say what the call would do, so it was not run: ${why}`

/** Whoever writes the settings decides about everything else: that is asked in every mode. */
function ownSettings({ subject, workspace, tool }: PermissionRequest): readonly Rule[] {
  if (subject.type !== 'path' || !subject.write) return []
  if (!subject.path.startsWith(join(workspace, '.toolwire', sep))) return []
  return [{ decision: 'ask', text: 'Edit(.toolwire/**)', tool, source: 'built in' }]
}
