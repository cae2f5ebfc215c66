/** The policy with its rules: those of the configuration and those a session has been given. */
import type { Tool, ToolContext } from '@toolwire/core'
import type { PermissionRequest } from './permission-request.ts'
import { judge, toMode, type Verdict } from './policy.ts'
import { loadRules, parseRule, type Rule, type RuleSet } from './rules.ts'

export interface PermissionOptions {
  readonly rules?: RuleSet
  /** Where the rules come from, as people are told. */
  readonly source?: string
  /** Called for a rule that an approver wants kept beyond the session (`project:` before the rule). */
  readonly saveRule?: (rule: string) => Promise<void>
}

/** What a permission decision needs to know of a call; the tool system's own call fits. */
interface PermissionCall {
  readonly context: ToolContext
  readonly scope: {
    readonly session: () => { readonly permission_mode: string; readonly created?: { readonly cwd: string } }
  }
}

export interface Permissions {
  readonly judge: (tool: Tool, input: unknown, call: PermissionCall) => Promise<Verdict>
  /** Keeps a rule: `Bash(npm test:*)` for the session, `project:Bash(…)` beyond it. A malformed rule is ignored. */
  readonly remember: (rule: string, call: PermissionCall) => Promise<void>
}

const RULE_NOTE = 'rule:'

/** Throws when a rule of the configuration is malformed or fails its own examples. */
export function createPermissions(
  options: PermissionOptions,
  isInside: (path: string, roots: readonly string[]) => boolean,
): Permissions {
  const configured = loadRules(options.rules ?? {}, options.source ?? 'config', process.cwd())
  const saved: Rule[] = []

  function rulesOf(context: ToolContext): readonly Rule[] {
    const session = context.notes
      .names(RULE_NOTE)
      .map(name => parseRule(name.slice(RULE_NOTE.length), 'allow', 'session'))
    return [...configured, ...saved, ...session]
  }

  return {
    async judge(tool, input, { context, scope }) {
      if (tool.question) return { decision: 'ask', reason: 'It is a question to a person.' }
      const request: PermissionRequest = {
        tool: tool.name,
        subject: (await tool.subject?.(input, context)) ?? {
          type: 'tool',
          read_only: tool.isReadOnly(input, context),
        },
        read_only: tool.isReadOnly(input, context),
        cwd: context.cwd,
        workspace: scope.session().created?.cwd ?? context.cwd,
        isInside: path => isInside(path, context.roots),
      }
      return judge(request, rulesOf(context), toMode(scope.session().permission_mode))
    },
    async remember(text, { context }) {
      const project = text.startsWith('project:')
      const bare = text.replace(/^(project|session):/, '')
      try {
        const rule = parseRule(bare, 'allow', project ? 'project' : 'session')
        if (!project) return await context.notes.save(`${RULE_NOTE}${rule.text}`, true)
        saved.push(rule)
        await options.saveRule?.(rule.text)
      } catch {
        // The approval itself stands; only the wish to remember it cannot be met.
      }
    },
  }
}
