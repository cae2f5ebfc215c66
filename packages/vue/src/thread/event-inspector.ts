/** The session's events exactly as a wire sends them, live. */
import {
  type FrameRow,
  frameRows,
  partLabels,
  prettyFrame,
  WIRES,
  type WireName,
  wireOf,
} from '@toolwire/core/parts'
import { formatDuration } from '@toolwire/core/view'
import { computed, defineComponent, shallowRef, type VNode } from 'vue'
import { LongText } from '../output/long-text.ts'
import { useSessionContext } from '../session/session-context.ts'
import { useFrames } from '../session/use-events.ts'
import { CopyButton } from '../shared/copy-button.ts'
import { h } from '../shared/h.ts'

/** The latest rows are drawn, and as many more with every click. */
const ROWS = 300

/** Reads the log through the chosen wire while it is mounted and seen. */
export const EventInspector = defineComponent(
  () => {
    const { t } = useSessionContext()
    const wire = shallowRef<WireName>('canonical')
    const text = shallowRef('')
    const open = shallowRef(-1)
    const shown = shallowRef(ROWS)
    const frames = useFrames(() => wire.value)
    const rows = computed(() => frameRows(frames.value, text.value))
    const choose = (event: Event) => {
      open.value = -1
      wire.value = wireOf((event.target as HTMLSelectElement).value)
    }
    const more = () => {
      shown.value += ROWS
    }
    const head = () => {
      const words = partLabels(t.value)
      return h('header', [
        h('label', [
          words.wire,
          h(
            'select',
            { 'data-tw-part': 'events-wire', onChange: choose },
            WIRES.map(name => h('option', { key: name, value: name, selected: name === wire.value }, name)),
          ),
        ]),
        h('input', {
          type: 'search',
          'data-tw-part': 'events-filter',
          'aria-label': words.filter,
          placeholder: words.filter,
          value: text.value,
          onInput: (event: Event) => {
            text.value = (event.target as HTMLInputElement).value
          },
        }),
        h('output', { 'data-tw-part': 'events-count' }, String(rows.value.length)),
      ])
    }
    const row = (one: FrameRow): VNode => {
      const isOpen = one.index === open.value
      const toggle = () => {
        open.value = isOpen ? -1 : one.index
      }
      return drawRow(one, { open: isOpen, toggle, locale: t.value.locale })
    }
    return () =>
      h('section', { 'data-tw-part': 'events', 'aria-label': t.value('trace.events') }, [
        head(),
        frames.value.length === 0 ? h('p', { 'data-tw-part': 'empty' }, t.value('session.empty')) : null,
        h('ol', [
          rows.value.length > shown.value
            ? h('li', [
                h(
                  'button',
                  { type: 'button', 'data-tw-part': 'more', onClick: more },
                  partLabels(t.value).earlier,
                ),
              ])
            : null,
          ...rows.value.slice(-shown.value).map(row),
        ]),
      ])
  },
  { name: 'EventInspector' },
)

interface RowLook {
  readonly open: boolean
  readonly toggle: () => void
  readonly locale: Parameters<typeof formatDuration>[1]
}

function drawRow({ index, frame, type, seq, after }: FrameRow, { open, toggle, locale }: RowLook): VNode {
  const line = [
    h('span', { 'data-tw-part': 'event-seq' }, seq),
    h('span', { 'data-tw-part': 'event-type' }, type),
    after === undefined
      ? null
      : h('span', { 'data-tw-part': 'event-after' }, `+${formatDuration(after, locale)}`),
    open ? null : h('span', { 'data-tw-part': 'event-data' }, frame.data.slice(0, 200)),
  ]
  const family = type.split('.', 1)[0]
  return h('li', { key: index, 'data-tw-part': 'event', 'data-open': open, 'data-family': family }, [
    h('button', { type: 'button', 'aria-expanded': open, onClick: toggle }, line),
    open
      ? h('div', { 'data-tw-part': 'event-body' }, [
          h(LongText, { text: prettyFrame(frame.data), name: type }),
          h(CopyButton, { text: frame.data }),
        ])
      : null,
  ])
}
