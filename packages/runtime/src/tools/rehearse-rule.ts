/** What a rule would have changed for calls that were made: asked about then, allowed with it. Runs nothing. */
import { AppError, type SessionState } from '@toolwire/core'
import { parseRule, type Rule } from '../permissions/rules.ts'
import { openCall } from './calls/call-context.ts'
import { checkCall } from './calls/preflight.ts'
import { type ExplainDeps, SILENT, toCall } from './explain-call.ts'
import type { ToolScope } from './tool-system.ts'

export interface RehearseRequest {
  readonly session_id: string
  readonly session: SessionState
  /** An allowance, as an approver could give it. */
  readonly rule: string
  readonly calls: readonly {
    readonly call_id: string
    readonly name: string
    readonly input: unknown
    /** The kind of agent that made it, `main` for the session's own; absent when nobody knows. */
    readonly agent?: string
  }[]
}

export interface Rehearsal {
  readonly rule: string
  /** Calls that were looked at. */
  readonly calls: number
  /** Those that the rule alone would have let through. */
  readonly allowed: readonly {
    readonly call_id: string
    readonly name: string
    readonly read_only: boolean
  }[]
  readonly writes: number
}

/** Judged by the session's present rules and mode. Throws `bad_request` for what is not a rule. */
export async function rehearseRule(
  { session_id, session, rule: text, calls }: RehearseRequest,
  { registry, contexts, permissions }: ExplainDeps,
): Promise<Rehearsal> {
  const rule = parse(text)
  const scope: ToolScope = { session_id, session: () => session, agent: () => session }
  const allowed: { call_id: string; name: string; read_only: boolean }[] = []
  for (const { call_id, name, input, agent } of calls) {
    const call = toCall(name, input)
    const checked = checkCall(call, scope, registry)
    if (checked.type !== 'server') continue
    const work = { ...openCall(call, scope, SILENT, contexts), asker: { kind: agent } }
    const without = await permissions.judge(checked.tool, checked.input, work)
    if (without.decision !== 'ask') continue
    const verdict = await permissions.judge(checked.tool, checked.input, work, [rule])
    if (verdict.decision !== 'allow') continue
    allowed.push({ call_id, name, read_only: checked.tool.isReadOnly(checked.input, work.context) })
  }
  const writes = allowed.filter(one => !one.read_only).length
  return { rule: rule.text, calls: calls.length, allowed, writes }
}

function parse(text: string): Rule {
  try {
    return parseRule(text, 'allow', 'rehearsal')
  } catch (error) {
    throw new AppError('bad_request', error instanceof Error ? error.message : undefined)
  }
}
