/** One decision for several calls of the same exchange that wait for it together. */
import { askedView, countByName, fullKey, keepList, noRepeat } from '@toolwire/core/parts'
import { type CallView, describeCall } from '@toolwire/core/view'
import { type ComputedRef, computed, defineComponent } from 'vue'
import { useSessionContext } from '../session/session-context.ts'
import { useAnswers, usePending, useView } from '../session/use-session.ts'
import { h } from '../shared/h.ts'
import { hiddenNote } from './approval-parts.ts'
import { alertText, useSending } from './use-sending.ts'

/** Draws nothing below two waiting approvals. Each call keeps its own card with its own preview. */
export const ApprovalBatch = defineComponent(
  () => {
    const { t } = useSessionContext()
    const { approve, deny } = useAnswers()
    const pending = usePending()
    const waiting = computed(() => pending.value.filter(item => item.kind === 'approval'))
    const { sending, error, run } = useSending()
    const table = useView(view => view.calls)
    const calls = computed<readonly CallView[]>(before => {
      const now = waiting.value.flatMap(item => table.value.get(item.call) ?? [])
      return keepList(before ?? [], now)
    })
    const { seen, showAll } = useHidden(calls)
    const each = (decide: (id: string) => Promise<unknown>) =>
      run(() => Promise.all(waiting.value.map(item => decide(item.id))))
    const allow = (event: MouseEvent) => {
      if (!seen.value.full) showAll()
      else if (event.detail < 2) each(id => approve(id))
    }
    return () => {
      const n = waiting.value.length
      if (n < 2) return null
      const button = (part: string, words: string, onClick: (event: MouseEvent) => void) =>
        h(
          'button',
          { type: 'button', 'data-tw-part': part, disabled: sending.value, onClick, onKeydown: noRepeat },
          words,
        )
      return h('div', { 'data-tw-part': 'approval-batch' }, [
        h('span', countByName(waiting.value)),
        button('allow-once', t.value('approval.allow_all', { n }), allow),
        button('deny', t.value('approval.deny_all', { n }), () => each(id => deny(id))),
        hiddenNote(t.value, seen.value),
        alertText(error.value),
      ])
    }
  },
  { name: 'ApprovalBatch' },
)

/** True if a call is folded or shown only in part: then none can be allowed. */
function useHidden(calls: ComputedRef<readonly CallView[]>) {
  const { disclosure, renderers } = useSessionContext()
  const cut = computed(() =>
    calls.value.filter(call => askedView(call, describeCall(call, renderers.value).body).isCut),
  )
  const seen = computed(() => {
    const { value } = disclosure
    const full =
      calls.value.every(call => value.chosen(call.id) !== false) &&
      cut.value.every(call => value.chosen(fullKey(call)) === true)
    return { isCut: cut.value.length > 0 || !full, full }
  })
  const showAll = () => {
    for (const call of calls.value) disclosure.value.set(call.id, true)
    for (const call of cut.value) disclosure.value.set(fullKey(call), true)
  }
  return { seen, showAll }
}
