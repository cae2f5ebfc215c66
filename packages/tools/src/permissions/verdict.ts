/** The answer of the policy to one call. */
import type { PermissionSubject, WithheldFiles } from '@toolwire/core'
import type { Rule } from './rules.ts'

export interface Verdict {
  readonly decision: 'allow' | 'ask' | 'deny'
  /** One sentence, for people and, on deny, for the model. */
  readonly reason: string
  /** Of a question: the reason as data, for those who say it in another language. */
  readonly why?: Why
  readonly code?: 'denied_rule' | 'denied_mode' | 'denied_hook'
  readonly rule?: Rule
  /** The narrowest rule that would have allowed it. */
  readonly suggestion?: string
  /** Of a command line: every sub-command with what decided it. */
  readonly parts?: readonly PartVerdict[]
  /** The judged subject. */
  readonly subject?: PermissionSubject
  /** Files that the call must omit when it runs. */
  readonly withheld?: WithheldFiles
}

export interface Why {
  readonly code: 'outside' | 'changes' | 'may_change' | 'rule' | 'unclear' | 'command' | 'writes'
  /** Names and texts that the sentence is about. */
  readonly params: Readonly<Record<string, string>>
}

export interface PartVerdict {
  readonly text: string
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly reason: string
  readonly rule?: string
  readonly source?: string
}

/** The subject of a verdict; it stays the same when a user or a hook decides otherwise. */
export type VerdictBasis = Pick<Verdict, 'subject' | 'withheld'>

export const basisOf = ({ subject, withheld }: VerdictBasis): VerdictBasis => ({
  ...(subject === undefined ? {} : { subject }),
  ...(withheld === undefined ? {} : { withheld }),
})

export function byRule(rule: Rule): Verdict {
  const where = `the rule ${rule.text} (${rule.source})`
  switch (rule.decision) {
    case 'allow':
      return { decision: 'allow', reason: `Allowed by ${where}.`, rule }
    case 'ask':
      return {
        decision: 'ask',
        reason: `${where} asks for it.`,
        why: { code: 'rule', params: { rule: rule.text, source: rule.source } },
        rule,
      }
    case 'deny':
      return { decision: 'deny', code: 'denied_rule', reason: rule.message ?? `Denied by ${where}.`, rule }
  }
}
