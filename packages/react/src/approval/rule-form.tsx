/** The rule that an approval keeps: its text, and for how long. */
import { type RuleTime, ruleTimes, ruleTtl } from '@toolwire/core/parts'
import { useState } from 'react'
import { useSessionContext } from '../session/session-context.ts'
import { TextForm } from './text-form.tsx'

export interface RuleFormProps {
  readonly rule: string
  readonly busy: boolean
  readonly focus: boolean
  readonly onCancel?: () => void
  readonly onSubmit: (options: { readonly rule: string; readonly rule_ttl_s?: number }) => void
}

export function RuleForm({ rule, onSubmit, ...form }: RuleFormProps) {
  const { t, clock } = useSessionContext()
  const [time, setTime] = useState<RuleTime>('always')
  const { label, choices } = ruleTimes(t.locale)
  return (
    <TextForm
      label={t('approval.rule', { rule: '' }).replace(/[:：]\s*$/, '')}
      initial={rule}
      mono
      {...form}
      submit={t('approval.allow_session')}
      onSubmit={text => onSubmit({ rule: text, ...ruleTtl(time, new Date(clock())) })}
    >
      <label data-tw-part="rule-time">
        <span>{label}</span>
        <select value={time} disabled={form.busy} onChange={event => setTime(event.target.value as RuleTime)}>
          {choices.map(({ value, words }) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
    </TextForm>
  )
}
