/** The meaning of a rule, and its effect on past calls. Runs nothing. */
import type { ToolScope } from '@toolwire/core'
import { AppError, type SessionState } from '@toolwire/core'
import { checkCall } from './calls/preflight.ts'
import { type ExplainDeps, openExplained, toCall } from './explain-call.ts'
import { matchesTool, parseRule, type Rule, type RuleDecision } from './permissions/rules.ts'
import type { Registry } from './registry.ts'

export interface RehearseRequest {
  readonly session_id: string
  readonly session: SessionState
  readonly rule: string
  /** An allowance, as an approver could give it, when absent. */
  readonly decision?: RuleDecision
  readonly calls: readonly {
    readonly call_id: string
    readonly name: string
    readonly input: unknown
    /** The type of its agent, `main` for the session's own; absent if unknown. */
    readonly agent?: string
  }[]
  /** The directories that the asker may see; nothing else is looked at. Anywhere when absent. */
  readonly within?: readonly string[]
}

export interface RuleDryRun {
  /** Exactly as it would be kept. */
  readonly rule: string
  readonly decision: RuleDecision
  /** The kind of agent that it is for; every agent when absent. */
  readonly agent?: string
  /** The required subject of the call; any if absent. */
  readonly content?: string
  /** The tools of the session that it governs. */
  readonly tools: readonly string[]
  /** Calls that were looked at. */
  readonly calls: number
  /** Those that it would have decided otherwise: let through, asked about, or denied. */
  readonly changed: number
  /** Those that the rule alone would have let through. */
  readonly allowed: readonly {
    readonly call_id: string
    readonly name: string
    readonly read_only: boolean
  }[]
  readonly writes: number
}

/** Judged by the session's present rules and mode. Throws `bad_request` for what is not a rule. */
export async function dryRunRule(
  { session_id, session, rule: text, decision = 'allow', calls, within }: RehearseRequest,
  { registry, contexts, permissions }: ExplainDeps,
): Promise<RuleDryRun> {
  const rule = parse(text, decision)
  const scope: ToolScope = { session_id, session: () => session, agent: () => session }
  const allowed: { call_id: string; name: string; read_only: boolean }[] = []
  let changed = 0
  for (const { call_id, name, input, agent } of calls) {
    const call = toCall(name, input)
    const checked = checkCall(call, scope, registry)
    if (checked.type !== 'server') continue
    const work = { ...openExplained(call, scope, contexts, within), asker: { kind: agent } }
    const without = await permissions.judge(checked.tool, checked.input, work)
    const verdict = await permissions.judge(checked.tool, checked.input, work, [rule])
    if (verdict.decision === without.decision) continue
    changed += 1
    if (verdict.decision !== 'allow') continue
    allowed.push({ call_id, name, read_only: checked.tool.isReadOnly(checked.input, work.context) })
  }
  const writes = allowed.filter(one => !one.read_only).length
  const { agent, content } = rule
  return {
    rule: rule.text,
    decision,
    ...(agent === undefined ? {} : { agent }),
    ...(content === undefined ? {} : { content }),
    tools: governed(rule, scope, registry),
    calls: calls.length,
    changed,
    allowed,
    writes,
  }
}

/** Includes the tool that it names, although models may not have received it yet. */
function governed(rule: Rule, scope: ToolScope, registry: Registry): readonly string[] {
  // Without a session id: the registry remembers the tools sent in a session.
  const told = registry.specs({ ...scope, session_id: '' }).map(({ name }) => name)
  return [...new Set([...told, rule.tool])].filter(
    name => matchesTool(rule, name) && registry.find(name, scope).type === 'server',
  )
}

function parse(text: string, decision: RuleDecision): Rule {
  try {
    return parseRule(text, decision, 'rehearsal')
  } catch (error) {
    throw new AppError('bad_request', error instanceof Error ? error.message : undefined)
  }
}
