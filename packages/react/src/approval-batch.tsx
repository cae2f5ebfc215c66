/** One decision for several calls of the same exchange that wait for it together. */
import { useSessionContext } from './session-context.ts'
import { useSending } from './use-sending.ts'
import { useAnswers, usePending } from './use-session.ts'

/** Draws nothing below two waiting approvals. Each call keeps its own card with its own preview. */
export function ApprovalBatch() {
  const { t } = useSessionContext()
  const { approve, deny } = useAnswers()
  const waiting = usePending().filter(item => item.kind === 'approval')
  const { sending, error, run } = useSending()
  if (waiting.length < 2) return null
  const each = (decide: (id: string) => Promise<unknown>) =>
    run(() => Promise.all(waiting.map(item => decide(item.id))))
  return (
    <div data-tw-part="approval-batch">
      <span>{waiting.map(item => item.name).join(', ')}</span>
      <button
        type="button"
        data-tw-part="allow-once"
        disabled={sending}
        onClick={() => each(id => approve(id))}
      >
        {t('approval.allow_all', { n: waiting.length })}
      </button>
      <button type="button" data-tw-part="deny" disabled={sending} onClick={() => each(id => deny(id))}>
        {t('approval.deny_all', { n: waiting.length })}
      </button>
      {error && (
        <p data-tw-part="error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
