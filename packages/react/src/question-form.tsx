/** A question of the model or of a tool: given choices as buttons, and room for an own answer. */
import type { ApprovalView } from '@toolwire/core/view'
import { useSessionContext } from './session-context.ts'
import { TextForm } from './text-form.tsx'
import { useSending } from './use-sending.ts'
import { useAnswers } from './use-session.ts'

export function QuestionForm({ approval }: { readonly approval: ApprovalView }) {
  const { t } = useSessionContext()
  const { answer } = useAnswers()
  const { sending, error, run } = useSending()
  const choices = approval.options.flatMap(toChoice)
  return (
    <section data-tw-part="question">
      {approval.message && <p data-tw-part="approval-message">{approval.message}</p>}
      {choices.length > 0 && (
        <div data-tw-part="choices">
          {choices.map(choice => (
            <button
              key={choice.label}
              type="button"
              disabled={sending}
              onClick={() => run(() => answer(approval.id, choice.value))}
            >
              {choice.label}
            </button>
          ))}
        </div>
      )}
      <TextForm
        label={t('question.answer')}
        submit={t('approval.send')}
        busy={sending}
        onSubmit={text => run(() => answer(approval.id, text))}
      />
      {error && (
        <p data-tw-part="error" role="alert">
          {error}
        </p>
      )}
    </section>
  )
}

function toChoice(option: unknown): readonly { readonly label: string; readonly value: unknown }[] {
  if (typeof option === 'string') return [{ label: option, value: option }]
  if (typeof option !== 'object' || option === null || !('label' in option)) return []
  return [{ label: String(option.label), value: 'value' in option ? option.value : option.label }]
}
