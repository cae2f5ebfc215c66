/** Announces to screen readers what started, ended or needs the user; never the text in between. */
import { announce, type SessionView } from '@toolwire/core/view'
import { defineComponent, shallowRef, watch } from 'vue'
import { useSessionContext } from '../session/session-context.ts'
import { h } from '../shared/h.ts'

/** History is not read out: it speaks only of what happens after the session was caught up with. */
export const Announcer = defineComponent(
  () => {
    const { session, snapshot, t } = useSessionContext()
    const polite = shallowRef('')
    const assertive = shallowRef('')
    let last: SessionView | undefined
    watch(session, () => {
      last = undefined
    })
    watch(snapshot, ({ view, connection }) => {
      const before = last
      if (connection.state === 'live' || before) last = view
      if (!before) return
      const said = announce(before, view, t.value)
      const calm = said.filter(item => !item.assertive).map(item => item.text)
      const urgent = said.filter(item => item.assertive).map(item => item.text)
      if (calm.length > 0) polite.value = calm.join('. ')
      if (urgent.length > 0) assertive.value = urgent.join('. ')
    })
    return () => [
      h('div', { 'data-tw-part': 'announcer', role: 'status', 'aria-live': 'polite' }, polite.value),
      h('div', { 'data-tw-part': 'announcer', role: 'alert', 'aria-live': 'assertive' }, assertive.value),
    ]
  },
  { name: 'Announcer' },
)
