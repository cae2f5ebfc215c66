/** Rules that a session has been given: each is a note in its log, named after the rule. */
import { parseRule, type Rule, type RuleDecision } from './rules.ts'

/** Before the text of the rule, in the name of its note. */
export const RULE_NOTE = 'rule:'

/** The value of a rule's note; `true` is a permanent allowance. */
export function toNoteValue(decision: RuleDecision, expires_at: string | undefined): unknown {
  const kind = decision === 'allow' ? {} : { decision }
  const value = { ...kind, ...(expires_at === undefined ? {} : { expires_at }) }
  return Object.keys(value).length === 0 ? true : value
}

/** The rule of a note. An unknown decision denies. Throws for a name that holds no rule. */
export function toGrant(note: string, value: unknown): Rule {
  const { decision = 'allow', expires_at } =
    typeof value === 'object' && value !== null ? (value as RuleNoteFields) : {}
  const known = DECISIONS.find(one => one === decision) ?? 'deny'
  const rule = parseRule(note.slice(RULE_NOTE.length), known, 'session')
  return expires_at === undefined ? rule : { ...rule, expires_at: String(expires_at) }
}

type RuleNoteFields = { readonly decision?: unknown; readonly expires_at?: unknown }
const DECISIONS: readonly RuleDecision[] = ['allow', 'ask', 'deny']
