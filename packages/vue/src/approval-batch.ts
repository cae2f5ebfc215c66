/** One decision for several calls of the same exchange that wait for it together. */
import { computed, defineComponent, h } from 'vue'
import { useSessionContext } from './session-context.ts'
import { alertText, useSending } from './use-sending.ts'
import { useAnswers, usePending } from './use-session.ts'

/** Draws nothing below two waiting approvals. Each call keeps its own card with its own preview. */
export const ApprovalBatch = defineComponent(
  () => {
    const { t } = useSessionContext()
    const { approve, deny } = useAnswers()
    const pending = usePending()
    const waiting = computed(() => pending.value.filter(item => item.kind === 'approval'))
    const { sending, error, run } = useSending()
    const each = (decide: (id: string) => Promise<unknown>) => () =>
      run(() => Promise.all(waiting.value.map(item => decide(item.id))))
    return () => {
      const n = waiting.value.length
      if (n < 2) return null
      const button = (part: string, words: string, onClick: () => void) =>
        h('button', { type: 'button', 'data-tw-part': part, disabled: sending.value, onClick }, words)
      return h('div', { 'data-tw-part': 'approval-batch' }, [
        h('span', waiting.value.map(item => item.name).join(', ')),
        button(
          'allow-once',
          t.value('approval.allow_all', { n }),
          each(id => approve(id)),
        ),
        button(
          'deny',
          t.value('approval.deny_all', { n }),
          each(id => deny(id)),
        ),
        alertText(error.value),
      ])
    }
  },
  { name: 'ApprovalBatch' },
)
