/** All exchanges of a session, oldest first, and the messages that wait behind them. */
import { type ComputedRef, computed, defineComponent } from 'vue'
import { provideToolSlots } from '../call/tool-slots.ts'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { h } from '../shared/h.ts'
import { Message } from './message.ts'
import { Turn } from './turn.ts'

/**
 * Slots: `empty` while there is nothing else, `actions` with `turn` below a finished exchange, `tool:` and a
 * tool's name with `call` instead of that tool's cards. Silent for screen readers while it grows; `Announcer`
 * announces the boundaries.
 */
export const Conversation = defineComponent(
  (_props: Record<never, never>, { slots }) => {
    const { t } = useSessionContext()
    provideToolSlots(slots)
    const ids = useTurnIds()
    const queue = useView(view => view.queue)
    return () => {
      const nothing = ids.value.length === 0 && queue.value.length === 0
      return h('div', { 'data-tw-part': 'conversation', role: 'log', 'aria-live': 'off' }, [
        nothing
          ? (slots['empty']?.() ?? h('p', { 'data-tw-part': 'empty' }, t.value('session.empty')))
          : null,
        ...ids.value.map(id => h(Turn, { key: id, id }, slots)),
        ...queue.value.map(message => h(Message, { key: message.id, id: message.id })),
      ])
    }
  },
  { name: 'Conversation' },
)

/** Ids of the exchanges; the same list until one is added. */
export function useTurnIds(): ComputedRef<readonly string[]> {
  // Ids hold no spaces, so a joined text compares by value.
  const joined = useView(view => view.turns.map(turn => turn.id).join(' '))
  return computed(() => (joined.value === '' ? [] : joined.value.split(' ')))
}
