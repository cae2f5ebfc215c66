/** The view of a call that asks for permission. The choice to see all of it outlives the card's element. */
import { type AskedView, askedView, fullKey } from '@toolwire/core/parts'
import { type CallView, describeCall } from '@toolwire/core/view'
import { type ComputedRef, computed } from 'vue'
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

export function useAsked(call: () => CallView): ComputedRef<ApprovalText> {
  const { disclosure, renderers } = useSessionContext()
  const view = computed(() => askedView(call(), describeCall(call(), renderers.value).body))
  return computed(() => {
    const key = fullKey(call())
    const full = disclosure.value.chosen(key) === true
    const showFull = () => disclosure.value.set(key, true)
    return { ...view.value, full, isHidden: view.value.isCut && !full, showFull }
  })
}
