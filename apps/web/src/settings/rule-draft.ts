/** A rule being edited: its separate parts, and the request to store it. Pure. */
import { type RuleTime, ruleTtl } from '@toolwire/core/parts'
import type { RuleInputJson, RuleJson } from '../server-api.ts'

export interface RuleDraft {
  /** Without the kind of agent. */
  readonly text: string
  /** Every agent when empty. */
  readonly agent: string
  readonly decision: RuleJson['decision']
  readonly scope: 'session' | 'project'
  /** `same` keeps the end that the rule has. */
  readonly time: RuleTime | 'same'
}

/** The parts of a rule that there is, or of a new one. */
export function draftOf(rule: RuleJson | undefined, session: string | undefined): RuleDraft {
  const scope = session === undefined ? 'project' : 'session'
  if (!rule) return { text: '', agent: '', decision: 'allow', scope, time: 'always' }
  const [, agent = '', text = rule.rule] = /^@(\S+) (.*)$/s.exec(rule.rule) ?? []
  return {
    text,
    agent,
    decision: rule.decision,
    scope: rule.source === 'session' ? 'session' : 'project',
    time: rule.expires_at === undefined ? 'always' : 'same',
  }
}

/** As the server accepts it; empty without one. A kind in the text itself takes precedence. */
export function textOf({ text, agent }: RuleDraft): string {
  const bare = text.trim()
  const kind = agent.trim().replace(/^@/, '')
  return bare === '' || kind === '' || bare.startsWith('@') ? bare : `@${kind} ${bare}`
}

export function wishOf(draft: RuleDraft, rule: RuleJson | undefined, now: Date): RuleInputJson {
  const { decision, scope, time } = draft
  const expires_at = time === 'same' ? rule?.expires_at : endOf(time, now)
  return { rule: textOf(draft), decision, scope, ...(expires_at === undefined ? {} : { expires_at }) }
}

function endOf(time: RuleTime, now: Date): string | undefined {
  const { rule_ttl_s } = ruleTtl(time, now)
  return rule_ttl_s === undefined ? undefined : new Date(now.getTime() + rule_ttl_s * 1000).toISOString()
}
