/** For whom, where and for how long a rule counts. */
import { ruleTimes } from '@toolwire/core/parts'
import { useId } from 'react'
import type { RuleJson } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { formatMoment } from './format-moment.ts'
import type { RuleDraft } from './rule-draft.ts'

export interface RuleTermsProps {
  readonly draft: RuleDraft
  readonly rule: RuleJson | undefined
  readonly session: string | undefined
  readonly onChange: (part: Partial<RuleDraft>) => void
}

/** Kinds that every server has; others are typed. */
const KINDS = ['main', 'explore', 'general-purpose']

export function RuleTerms({ draft, rule, session, onChange }: RuleTermsProps) {
  const { a, locale } = useStrings()
  const { label, choices } = ruleTimes(locale)
  const kinds = useId()
  const until = rule?.expires_at
  return (
    <div className="rule-terms">
      <label className="field">
        <span>{a('rule.agent')}</span>
        <input
          name="agent"
          autoComplete="off"
          spellCheck={false}
          list={kinds}
          placeholder={a('rule.agent_any')}
          value={draft.agent}
          onChange={event => onChange({ agent: event.target.value })}
        />
        <datalist id={kinds}>
          {KINDS.map(kind => (
            <option key={kind} value={kind} />
          ))}
        </datalist>
      </label>
      <label className="field">
        <span>{a('rule.scope')}</span>
        <select
          name="scope"
          value={draft.scope}
          onChange={event => onChange({ scope: event.target.value === 'session' ? 'session' : 'project' })}
        >
          {session !== undefined && <option value="session">{a('rule.scope_session')}</option>}
          <option value="project">{a('rule.scope_project')}</option>
        </select>
      </label>
      <label className="field">
        <span>{label}</span>
        <select
          name="time"
          value={draft.time}
          onChange={event => onChange({ time: event.target.value as RuleDraft['time'] })}
        >
          {until !== undefined && (
            <option value="same">{a('permissions.until', { time: formatMoment(until, locale) })}</option>
          )}
          {choices.map(({ value, words }) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}
