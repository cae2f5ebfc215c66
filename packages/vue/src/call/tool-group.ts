/** Finished look-ups in a row, as one line that opens. */
import { countNames } from '@toolwire/core/parts'
import { type CallView, formatDuration } from '@toolwire/core/view'
import { defineComponent } from 'vue'
import { useSessionContext } from '../session/session-context.ts'
import { h } from '../shared/h.ts'
import { icon } from '../shared/icon.ts'
import { ToolCall } from './tool-call.ts'

export const ToolGroup = defineComponent(
  (props: { readonly calls: readonly CallView[] }) => {
    const { t, disclosure } = useSessionContext()
    return () => {
      const { calls } = props
      const id = `group:${calls[0]?.id ?? ''}`
      const open = disclosure.value.chosen(id) ?? disclosure.value.density === 'everything'
      const total = calls.reduce((ms, call) => ms + (call.duration_ms ?? 0), 0)
      return h('section', { 'data-tw-part': 'tool-group', 'data-open': open }, [
        h(
          'button',
          {
            type: 'button',
            'data-tw-part': 'tool-header',
            'aria-expanded': open,
            onClick: () => disclosure.value.set(id, !open),
          },
          [
            h('span', { 'data-tw-part': 'tool-icon' }, [icon('check')]),
            h('span', { 'data-tw-part': 'tool-name' }, t.value('call.group', { n: calls.length })),
            h('span', { 'data-tw-part': 'tool-title' }, countNames(calls)),
            h('span', { 'data-tw-part': 'tool-status' }, [
              h('span', { 'data-tw-part': 'elapsed' }, formatDuration(total, t.value.locale)),
            ]),
            h('span', { 'data-tw-part': 'tool-chevron' }, [icon('chevron')]),
          ],
        ),
        open
          ? h(
              'div',
              { 'data-tw-part': 'tool-group-body' },
              calls.map(call => h(ToolCall, { key: call.id, id: call.id })),
            )
          : null,
      ])
    }
  },
  { name: 'ToolGroup', props: ['calls'] },
)
