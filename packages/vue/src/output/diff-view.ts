/** A change, line by line. Signs, not only colors, mark added and removed lines. */
import {
  DIFF_HEAD,
  DIFF_MORE,
  DIFF_SIGNS,
  DIFF_TABLE,
  diffRows,
  diffText,
  hiddenLines,
  shortLine,
} from '@toolwire/core/parts'
import type { DiffLine } from '@toolwire/core/view'
import { defineComponent, shallowRef, type VNode } from 'vue'
import type { FullView } from '../approval/use-asked.ts'
import { useSessionContext } from '../session/session-context.ts'
import { h } from '../shared/h.ts'
import { FullText } from './full-text.ts'
import { viewFull } from './view-full.ts'

export interface DiffViewProps {
  readonly path: string
  readonly lines: readonly DiffLine[]
  readonly added: number
  readonly removed: number
  /** Shows all of it in its place at once. */
  readonly asked?: FullView | undefined
}

export const DiffView = defineComponent(
  (props: DiffViewProps) => {
    const { t } = useSessionContext()
    const count = shallowRef(DIFF_HEAD)
    const more = () => {
      count.value += DIFF_MORE
    }
    /** Both ends of a change, and the number of lines between them. */
    const ends = () => {
      const { head, hidden, tail } = diffRows(props.lines, count.value)
      if (hidden === 0) return [rows(head, shortLine)]
      const button = viewFull(t.value, props.asked?.showFull ?? more)
      return [
        rows(head, shortLine),
        h('div', { 'data-tw-part': 'output-hidden' }, [hiddenLines(t.value, hidden), button]),
        rows(tail, shortLine),
      ]
    }
    const all = () =>
      props.lines.length > DIFF_TABLE
        ? h(FullText, { text: diffText(props.lines) })
        : rows(props.lines, text => text)
    return () => {
      const { path, added, removed, asked } = props
      return h('figure', { 'data-tw-part': 'diff' }, [
        h('figcaption', [
          h('span', { 'data-tw-part': 'path' }, asked?.full ? path : shortLine(path)),
          h('span', { 'data-tw-part': 'added' }, `+${added}`),
          h('span', { 'data-tw-part': 'removed' }, `−${removed}`),
        ]),
        asked?.full ? all() : ends(),
      ])
    }
  },
  { name: 'DiffView', props: ['path', 'lines', 'added', 'removed', 'asked'] },
)

const rows = (lines: readonly DiffLine[], toShown: (text: string) => string): VNode =>
  h('table', [
    h(
      'tbody',
      lines.map((line, index) =>
        h('tr', { key: index, 'data-line': line.type }, [
          h('td', { 'data-tw-part': 'line-number' }, line.old_line),
          h('td', { 'data-tw-part': 'line-number' }, line.new_line),
          h('td', { 'data-tw-part': 'line-sign' }, DIFF_SIGNS[line.type]),
          h('td', { 'data-tw-part': 'line-text' }, toShown(line.text)),
        ]),
      ),
    ),
  ])
