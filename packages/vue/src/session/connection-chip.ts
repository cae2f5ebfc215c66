/** Shows if the screen is up to date. */
import { defineComponent } from 'vue'
import { h } from '../shared/h.ts'
import { useSessionContext } from './session-context.ts'
import { useConnection } from './use-session.ts'

export const ConnectionChip = defineComponent(
  () => {
    const { t } = useSessionContext()
    const connection = useConnection()
    return () => {
      const { state, attempt, behind = 0, error } = connection.value
      const shown = state === 'idle' ? 'connecting' : state
      const words =
        behind > 0
          ? t.value('connection.behind', { n: behind })
          : t.value(`connection.${shown}`, { n: attempt })
      return h(
        'span',
        {
          'data-tw-part': 'connection',
          'data-state': shown,
          'data-tw-state': shown,
          role: 'status',
          title: error?.message ?? words,
        },
        [h('i', { 'aria-hidden': 'true' }), h('span', words)],
      )
    }
  },
  { name: 'ConnectionChip' },
)
