/** Model requests and tool calls of the session as bars over time, one scale per exchange. */
import {
  barPlace,
  partLabels,
  rowsToShow,
  STATE_ICONS,
  showCurrentBar,
  type TimelineBar,
  type TimelineRow,
  timelineEnds,
  timelineRows,
} from '@toolwire/core/parts'
import { formatDuration, type ToolState } from '@toolwire/core/view'
import { computed, defineComponent, onMounted, shallowRef, type VNode, watch } from 'vue'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { h } from '../shared/h.ts'
import { icon } from '../shared/icon.ts'
import { useNow } from '../shared/use-now.ts'

/** The latest rows are drawn, and as many more with every click. */
const ROWS = 300

export interface TimelineProps {
  /** Id of the call to point out; its bar is scrolled into view. */
  readonly current?: string
  /** Called with the id of the call whose bar was pressed. */
  readonly onSelect?: (callId: string) => void
}

export const Timeline = defineComponent(
  (props: TimelineProps) => {
    const { t, clock } = useSessionContext()
    const view = useView(whole => whole)
    const shown = shallowRef(ROWS)
    const rows = computed(() => timelineRows(view.value))
    const now = useNow(() => view.value.phase === 'running', clock)
    const ends = computed(() => timelineEnds(rows.value, now.value))
    const list = shallowRef<HTMLElement | null>(null)
    onMounted(() => showCurrentBar(list.value))
    watch(
      () => props.current,
      () => showCurrentBar(list.value),
      { flush: 'post' },
    )
    const count = computed(() => rowsToShow(rows.value, shown.value, props.current))
    const more = () => {
      shown.value = count.value + ROWS
    }
    const bar = (row: TimelineBar, end: number): VNode => {
      const { call, kind, state } = row
      const { onSelect } = props
      const { left, width, ms } = barPlace(row, end, now.value)
      return h(
        'li',
        {
          key: row.id,
          'data-tw-part': 'timeline-bar',
          'data-kind': kind,
          'data-state': state,
          'data-tw-state': state,
          'data-current': call === props.current,
          style: { '--tw-depth': row.depth },
        },
        [
          h(
            'button',
            {
              type: 'button',
              disabled: call === undefined || !onSelect,
              onClick: () => call !== undefined && onSelect?.(call),
            },
            [
              kind === 'tool' ? icon(STATE_ICONS[state as ToolState]) : null,
              h(
                'span',
                { 'data-tw-part': 'timeline-name' },
                kind === 'model' ? partLabels(t.value).model : row.name,
              ),
              h('span', { 'data-tw-part': 'elapsed' }, formatDuration(ms, t.value.locale)),
              h('span', { 'data-tw-part': 'timeline-track' }, [
                h('i', { style: { left: `${left}%`, width: `${width}%` } }),
              ]),
            ],
          ),
        ],
      )
    }
    const drawn = (row: TimelineRow): VNode => {
      const end = ends.value.get(row.turn.id) ?? now.value
      if (row.type === 'bar') return bar(row, end)
      return h('li', { key: row.id, 'data-tw-part': 'timeline-turn', 'data-turn-id': row.id }, [
        h('strong', `#${row.number}`),
        h('span', { 'data-tw-part': 'elapsed' }, formatDuration(end - row.turn.started_at, t.value.locale)),
      ])
    }
    return () => {
      if (rows.value.length === 0) return h('p', { 'data-tw-part': 'empty' }, t.value('session.empty'))
      return h('ol', { ref: list, 'data-tw-part': 'timeline', 'aria-label': t.value('trace.timeline') }, [
        rows.value.length > count.value
          ? h('li', [
              h(
                'button',
                { type: 'button', 'data-tw-part': 'more', onClick: more },
                partLabels(t.value).earlier,
              ),
            ])
          : null,
        ...rows.value.slice(-count.value).map(drawn),
      ])
    }
  },
  { name: 'Timeline', props: ['current', 'onSelect'] },
)
