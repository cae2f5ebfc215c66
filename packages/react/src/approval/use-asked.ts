/** The view of a call that asks for permission. The choice to see all of it outlives the card's element. */
import { type AskedView, askedView, fullKey } from '@toolwire/core/parts'
import { type CallView, describeCall } from '@toolwire/core/view'
import { useMemo, useSyncExternalStore } from 'react'
import { useSessionContext } from '../session/session-context.ts'

/** For what draws a text that may be shown in part. */
export interface FullView {
  /** All of it is shown. */
  readonly full: boolean
  readonly showFull: () => void
}

export interface ApprovalText extends FullView, AskedView {
  /** It may not be allowed before all of it was shown. */
  readonly isHidden: boolean
}

export function useAsked(call: CallView): ApprovalText {
  const { disclosure, renderers } = useSessionContext()
  const view = useMemo(() => askedView(call, describeCall(call, renderers).body), [call, renderers])
  const key = fullKey(call)
  const get = () => disclosure.chosen(key) === true
  const full = useSyncExternalStore(disclosure.subscribe, get, get)
  return useMemo(
    () => ({ ...view, full, isHidden: view.isCut && !full, showFull: () => disclosure.set(key, true) }),
    [view, full, disclosure, key],
  )
}
