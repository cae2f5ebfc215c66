/** A rule as people are shown it, with an id that stays the same as long as the rule does. */
import { createHash } from 'node:crypto'
import type { Rule, RuleDecision } from './rules.ts'

export interface ListedRule {
  readonly id: string
  /** The exact rule. */
  readonly rule: string
  readonly decision: RuleDecision
  readonly source: string
  /** False for what only a configuration file can change. */
  readonly revocable: boolean
  /** Applies until then; always if absent. */
  readonly expires_at?: string
}

export function toListed({ text, decision, source, expires_at, set_here }: Rule): ListedRule {
  const digest = createHash('sha256').update(`${source} ${decision} ${text}`).digest('hex').slice(0, 12)
  const revocable = source === 'session' || (source === 'project' && set_here === true)
  const until = expires_at === undefined ? {} : { expires_at }
  return { id: `rule_${digest}`, rule: text, decision, source, revocable, ...until }
}
