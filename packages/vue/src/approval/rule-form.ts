/** The rule that an approval keeps: its text, and for how long. */
import { type RuleTime, ruleTimes, ruleTtl } from '@toolwire/core/parts'
import { defineComponent, shallowRef } from 'vue'
import { useSessionContext } from '../session/session-context.ts'
import { h } from '../shared/h.ts'
import { TextForm } from './text-form.ts'

export interface RuleFormProps {
  readonly rule: string
  readonly busy: boolean
  readonly focus: boolean
  readonly onCancel?: () => void
  readonly onSubmit: (options: { readonly rule: string; readonly rule_ttl_s?: number }) => void
}

export const RuleForm = defineComponent(
  (props: RuleFormProps) => {
    const { t, clock } = useSessionContext()
    const time = shallowRef<RuleTime>('always')
    const times = () => {
      const { label, choices } = ruleTimes(t.value.locale)
      const onChange = (event: Event) => {
        time.value = (event.target as HTMLSelectElement).value as RuleTime
      }
      return h('label', { 'data-tw-part': 'rule-time' }, [
        h('span', label),
        h(
          'select',
          { value: time.value, disabled: props.busy, onChange },
          choices.map(({ value, words }) => h('option', { key: value, value }, words)),
        ),
      ])
    }
    return () =>
      h(
        TextForm,
        {
          label: t.value('approval.rule', { rule: '' }).replace(/[:：]\s*$/, ''),
          initial: props.rule,
          mono: true,
          focus: props.focus,
          busy: props.busy,
          submit: t.value('approval.allow_session'),
          ...(props.onCancel ? { onCancel: props.onCancel } : {}),
          onSubmit: text => props.onSubmit({ rule: text, ...ruleTtl(time.value, new Date(clock())) }),
        },
        times,
      )
  },
  { name: 'RuleForm', props: ['rule', 'busy', 'focus', 'onCancel', 'onSubmit'] },
)
