/** A change, line by line. Signs and not only colours tell what is added and what is removed. */
import { shortLine } from '@toolwire/core/parts'
import type { DiffLine } from '@toolwire/core/view'
import { defineComponent, h, shallowRef } from 'vue'
import { useSessionContext } from './session-context.ts'

export interface DiffViewProps {
  readonly path: string
  readonly lines: readonly DiffLine[]
  readonly added: number
  readonly removed: number
}

/** Lines at first, and those that a click adds: a table of all lines of a large change takes seconds. */
const SHOWN = 60
const MORE = 1000
const SIGNS = { same: ' ', add: '+', remove: '−', gap: '⋯' } as const

export const DiffView = defineComponent(
  (props: DiffViewProps) => {
    const { t } = useSessionContext()
    const count = shallowRef(SHOWN)
    const row = (line: DiffLine, index: number) =>
      h('tr', { key: index, 'data-line': line.type }, [
        h('td', { 'data-tw-part': 'line-number' }, line.old_line),
        h('td', { 'data-tw-part': 'line-number' }, line.new_line),
        h('td', { 'data-tw-part': 'line-sign' }, SIGNS[line.type]),
        h('td', { 'data-tw-part': 'line-text' }, shortLine(line.text)),
      ])
    return () => {
      const { path, lines, added, removed } = props
      const shown = lines.slice(0, count.value)
      return h('figure', { 'data-tw-part': 'diff' }, [
        h('figcaption', [
          h('span', { 'data-tw-part': 'path' }, shortLine(path)),
          h('span', { 'data-tw-part': 'added' }, `+${added}`),
          h('span', { 'data-tw-part': 'removed' }, `−${removed}`),
        ]),
        h('table', [h('tbody', shown.map(row))]),
        lines.length > shown.length
          ? h(
              'button',
              {
                type: 'button',
                'data-tw-part': 'view-full',
                onClick: () => {
                  count.value += MORE
                },
              },
              `${t.value('call.view_full')} · ${t.value('call.lines', { n: lines.length })}`,
            )
          : null,
      ])
    }
  },
  { name: 'DiffView', props: ['path', 'lines', 'added', 'removed'] },
)
