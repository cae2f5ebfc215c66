/** A call that a page has to run, or a form to fill in. It can be answered by hand when no page runs it. */
import { clientForm } from '@toolwire/core/parts'
import type { CallView } from '@toolwire/core/view'
import { useMemo, useState } from 'react'
import { SchemaForm } from '../approval/schema-form.tsx'
import { TextForm } from '../approval/text-form.tsx'
import { useSending } from '../approval/use-sending.ts'
import { useSessionContext } from '../session/session-context.ts'
import { useAnswers } from '../session/use-session.ts'

export function ClientCall({ call }: { readonly call: CallView }) {
  const { t, onForm } = useSessionContext()
  const { giveOutput } = useAnswers()
  const { sending, error, run } = useSending()
  const [byHand, setByHand] = useState(false)
  const schema = useMemo(() => clientForm(call), [call])
  const refused = error && (
    <p data-tw-part="error" role="alert">
      {error}
    </p>
  )
  if (schema)
    return (
      <section data-tw-part="client-call">
        <SchemaForm
          {...{ t, schema }}
          plain
          submit={t('approval.send')}
          busy={sending}
          onSubmit={values =>
            run(async () => {
              await onForm?.(call, values)
              await giveOutput(call.call_id, 'submitted')
            })
          }
          onCancel={() => run(() => giveOutput(call.call_id, 'cancelled'))}
        />
        <p data-tw-part="note">{t('form.private')}</p>
        {refused}
      </section>
    )
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
      {refused}
    </section>
  )
}
