/** Explains if a call would be allowed, asked about or denied. Runs nothing, asks no user, stores nothing. */
import type { PermissionSubject, Tool } from '@toolwire/core'
import type { Permissions } from './permissions.ts'
import { type PermissionMode, toMode } from './policy.ts'
import type { RuleDecision } from './rules.ts'
import type { Verdict } from './verdict.ts'

export interface PermissionExplanation {
  readonly tool: string
  readonly decision: 'allow' | 'ask' | 'deny'
  /** One sentence for people. */
  readonly reason: string
  /** Of a denial: the code that the failed call would carry. */
  readonly code?: string
  readonly mode: PermissionMode
  readonly read_only?: boolean
  /** The subject that the rules were checked against. */
  readonly subject?: PermissionSubject
  /** The rule that decided; absent when the mode or the nature of the call did. */
  readonly rule?: { readonly text: string; readonly decision: RuleDecision; readonly source: string }
  /** The narrowest rule that would allow it. */
  readonly suggested_rule?: string
  /** Of a command line: every sub-command with what decided it. */
  readonly parts?: NonNullable<Verdict['parts']>
}

/** `input` fits the tool's schema. The verdict is the one that the same call would get. */
export async function explainPermission(
  tool: Tool,
  input: unknown,
  call: Parameters<Permissions['judge']>[2],
  permissions: Pick<Permissions, 'judge'>,
): Promise<PermissionExplanation> {
  const { context, scope } = call
  const read_only = tool.isReadOnly(input, context)
  const subject = (await tool.subject?.(input, context)) ?? { type: 'tool', read_only }
  const { decision, reason, code, rule, suggestion, parts } = await permissions.judge(tool, input, call)
  return {
    tool: tool.name,
    decision,
    reason,
    ...(code === undefined ? {} : { code }),
    mode: toMode(scope.session().permission_mode),
    read_only,
    subject,
    ...(rule === undefined
      ? {}
      : { rule: { text: rule.text, decision: rule.decision, source: rule.source } }),
    ...(suggestion === undefined ? {} : { suggested_rule: suggestion }),
    ...(parts === undefined ? {} : { parts }),
  }
}
