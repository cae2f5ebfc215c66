/** A call that some page has to run. Whoever watches can answer it by hand when no page does. */
import type { CallView } from '@toolwire/core/view'
import { useState } from 'react'
import { useSessionContext } from './session-context.ts'
import { TextForm } from './text-form.tsx'
import { useSending } from './use-sending.ts'
import { useAnswers } from './use-session.ts'

export function ClientCall({ call }: { readonly call: CallView }) {
  const { t } = useSessionContext()
  const { giveOutput } = useAnswers()
  const { sending, error, run } = useSending()
  const [byHand, setByHand] = useState(false)
  return (
    <section data-tw-part="client-call">
      <p data-tw-part="approval-message">{t('client.title', { name: call.name })}</p>
      {byHand ? (
        <TextForm
          label={t('call.output')}
          rows={3}
          mono
          focus
          submit={t('approval.send')}
          busy={sending}
          onCancel={() => setByHand(false)}
          onSubmit={text => run(() => giveOutput(call.call_id, text))}
        />
      ) : (
        <div data-tw-part="approval-actions">
          <button type="button" data-tw-part="answer" onClick={() => setByHand(true)}>
            {t('approval.answer')}
          </button>
        </div>
      )}
      {error && (
        <p data-tw-part="error" role="alert">
          {error}
        </p>
      )}
    </section>
  )
}
