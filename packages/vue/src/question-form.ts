/** A question of the model or of a tool: given choices as buttons, and room for an own answer. */
import type { ApprovalView } from '@toolwire/core/view'
import { defineComponent, h } from 'vue'
import { useSessionContext } from './session-context.ts'
import { TextForm } from './text-form.ts'
import { alertText, useSending } from './use-sending.ts'
import { useAnswers } from './use-session.ts'

export const QuestionForm = defineComponent(
  (props: { readonly approval: ApprovalView }) => {
    const { t } = useSessionContext()
    const { answer } = useAnswers()
    const { sending, error, run } = useSending()
    const give = (value: unknown) => run(() => answer(props.approval.id, value))
    return () => {
      const { approval } = props
      const choices = approval.options.flatMap(toChoice)
      return h('section', { 'data-tw-part': 'question' }, [
        approval.message ? h('p', { 'data-tw-part': 'approval-message' }, approval.message) : null,
        choices.length === 0
          ? null
          : h(
              'div',
              { 'data-tw-part': 'choices' },
              choices.map(({ label, value }) =>
                h(
                  'button',
                  { key: label, type: 'button', disabled: sending.value, onClick: () => give(value) },
                  label,
                ),
              ),
            ),
        h(TextForm, {
          label: t.value('question.answer'),
          submit: t.value('approval.send'),
          busy: sending.value,
          onSubmit: give,
        }),
        alertText(error.value),
      ])
    }
  },
  { name: 'QuestionForm', props: ['approval'] },
)

function toChoice(option: unknown): readonly { readonly label: string; readonly value: unknown }[] {
  if (typeof option === 'string') return [{ label: option, value: option }]
  if (typeof option !== 'object' || option === null || !('label' in option)) return []
  return [{ label: String(option.label), value: 'value' in option ? option.value : option.label }]
}
