/** One decision for several calls of the same exchange that wait for it together. */
import { askedView, countByName, fullKey, keepList, noRepeat } from '@toolwire/core/parts'
import { type CallView, describeCall, type PendingView } from '@toolwire/core/view'
import { type MouseEvent, useMemo, useRef, useSyncExternalStore } from 'react'
import { useSessionContext } from '../session/session-context.ts'
import { useAnswers, usePending, useView } from '../session/use-session.ts'
import { HiddenNote } from './approval-parts.tsx'
import { useSending } from './use-sending.ts'

/** Draws nothing below two waiting approvals. Each call keeps its own card with its own preview. */
export function ApprovalBatch() {
  const { t } = useSessionContext()
  const { approve, deny } = useAnswers()
  const waiting = usePending().filter(item => item.kind === 'approval')
  const { sending, error, run } = useSending()
  const { hidden, isCut, showAll } = useHidden(useCalls(waiting))
  if (waiting.length < 2) return null
  const allow = (event: MouseEvent) => {
    if (hidden) showAll()
    else if (event.detail < 2) each(id => approve(id))
  }
  const each = (decide: (id: string) => Promise<unknown>) =>
    run(() => Promise.all(waiting.map(item => decide(item.id))))
  return (
    <div data-tw-part="approval-batch">
      <span>{countByName(waiting)}</span>
      <button type="button" data-tw-part="allow-once" disabled={sending} onClick={allow} onKeyDown={noRepeat}>
        {t('approval.allow_all', { n: waiting.length })}
      </button>
      <button type="button" data-tw-part="deny" disabled={sending} onClick={() => each(id => deny(id))}>
        {t('approval.deny_all', { n: waiting.length })}
      </button>
      <HiddenNote isCut={isCut} full={!hidden} />
      {error && (
        <p data-tw-part="error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

/** The same list until one of the calls changes. */
function useCalls(waiting: readonly PendingView[]): readonly CallView[] {
  const last = useRef<readonly CallView[]>([])
  return useView(view => {
    const calls = waiting.flatMap(item => view.calls.get(item.call) ?? [])
    last.current = keepList(last.current, calls)
    return last.current
  })
}

/** True if a call is folded or shown only in part: then none can be allowed. */
function useHidden(calls: readonly CallView[]) {
  const { disclosure, renderers } = useSessionContext()
  const cut = useMemo(
    () => calls.filter(call => askedView(call, describeCall(call, renderers).body).isCut),
    [calls, renderers],
  )
  const get = () =>
    calls.some(call => disclosure.chosen(call.id) === false) ||
    cut.some(call => disclosure.chosen(fullKey(call)) !== true)
  const hidden = useSyncExternalStore(disclosure.subscribe, get, get)
  const showAll = () => {
    for (const call of calls) disclosure.set(call.id, true)
    for (const call of cut) disclosure.set(fullKey(call), true)
  }
  return { hidden, isCut: cut.length > 0 || hidden, showAll }
}
