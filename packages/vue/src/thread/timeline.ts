/** Model requests and tool calls of the session as bars over time, one scale per exchange. */
import {
  type BarPosition,
  barLabel,
  barPosition,
  groupWith,
  partLabels,
  rowsToShow,
  STATE_ICONS,
  showCurrentBar,
  type TimelineBar,
  type TimelineGroup,
  type TimelineRow,
  type TimelineScale,
  type TimelineTurn,
  timelineEnds,
  timelineRows,
  timelineScales,
  timelineTotals,
  ZOOMS,
} from '@toolwire/core/parts'
import { formatDuration, type SessionView, type ToolState, type Translate } from '@toolwire/core/view'
import { type ComputedRef, computed, defineComponent, onMounted, shallowRef, type VNode, watch } from 'vue'
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
    const zoom = shallowRef(0)
    const collapse = shallowRef(true)
    const { rows, open } = useRows(view, () => props.current)
    const now = useNow(() => view.value.phase !== 'idle', clock)
    const ends = computed(() => timelineEnds(rows.value, now.value))
    const scales = computed(() =>
      timelineScales(rows.value, ends.value, { now: now.value, collapse: collapse.value }),
    )
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
    const head = (): VNode => {
      const labels = partLabels(t.value)
      const toZoom = (next: number) => () => {
        zoom.value = next
      }
      return h('header', { 'data-tw-part': 'timeline-head' }, [
        h('span', timelineTotals(scales.value, t.value)),
        h('label', { 'data-tw-part': 'timeline-collapse' }, [
          h('input', {
            type: 'checkbox',
            checked: collapse.value,
            onChange: () => {
              collapse.value = !collapse.value
            },
          }),
          labels.collapse_waits,
        ]),
        h('span', { 'data-tw-part': 'timeline-zoom' }, [
          zoomButton('−', { label: labels.zoom_out, disabled: zoom.value === 0 }, toZoom(zoom.value - 1)),
          zoomButton(labels.zoom_fit, { disabled: zoom.value === 0 }, toZoom(0)),
          zoomButton(
            '+',
            { label: labels.zoom_in, disabled: zoom.value === ZOOMS.length - 1 },
            toZoom(zoom.value + 1),
          ),
        ]),
      ])
    }
    const drawn = (row: TimelineRow): VNode | null => {
      const scale = scales.value.get(row.turn.id)
      if (!scale) return null
      const draw: DrawContext = { scale, now: now.value, t: t.value }
      if (row.type === 'turn') return turnRow(row, draw)
      if (row.type === 'group') return groupRow(row, draw, () => open(row.id))
      return barRow(row, draw, props)
    }
    return () => {
      if (rows.value.length === 0) return h('p', { 'data-tw-part': 'empty' }, t.value('session.empty'))
      return h('section', { 'data-tw-part': 'timeline-box' }, [
        head(),
        h(
          'ol',
          {
            ref: list,
            'data-tw-part': 'timeline',
            'aria-label': t.value('trace.timeline'),
            style: { '--tw-zoom': ZOOMS[zoom.value] },
          },
          [
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
          ],
        ),
      ])
    }
  },
  { name: 'Timeline', props: ['current', 'onSelect'] },
)

/** Groups that the user opened, and the one that holds the current call, are shown call by call. */
function useRows(view: ComputedRef<SessionView>, current: () => string | undefined) {
  const opened = shallowRef<ReadonlySet<string>>(new Set())
  const rows = computed(() => {
    const plain = timelineRows(view.value, opened.value)
    const group = groupWith(plain, current())
    return group === undefined ? plain : timelineRows(view.value, new Set([...opened.value, group]))
  })
  const open = (id: string) => {
    opened.value = new Set([...opened.value, id])
  }
  return { rows, open }
}

const zoomButton = (
  text: string,
  { label, disabled }: { readonly label?: string; readonly disabled: boolean },
  onClick: () => void,
): VNode => h('button', { type: 'button', 'aria-label': label, disabled, onClick }, text)

interface DrawContext {
  readonly scale: TimelineScale
  readonly now: number
  readonly t: Translate
}

const turnRow = (row: TimelineTurn, { scale, t }: DrawContext): VNode =>
  h('li', { key: row.id, 'data-tw-part': 'timeline-turn', 'data-turn-id': row.id }, [
    h('strong', `#${row.number}`),
    h('span', { 'data-tw-part': 'timeline-title' }, row.title),
    h('span', { 'data-tw-part': 'elapsed' }, formatDuration(scale.active_ms, t.locale)),
  ])

const segment = ({ left, width }: BarPosition, wait = false): VNode =>
  h('i', { 'data-wait': wait ? 'true' : undefined, style: { left: `${left}%`, width: `${width}%` } })

/** Several calls as one line with a segment each. */
function groupRow({ id, bars }: TimelineGroup, { scale, now, t }: DrawContext, onOpen: () => void): VNode {
  const [first] = bars
  const segments = bars.map(bar => barPosition(bar, scale, now))
  const ms = segments.reduce((sum, position) => sum + position.ms, 0)
  return h(
    'li',
    {
      key: id,
      'data-tw-part': 'timeline-bar',
      'data-kind': 'group',
      style: { '--tw-depth': first?.depth ?? 0 },
    },
    [
      h(
        'button',
        {
          type: 'button',
          'aria-expanded': false,
          title: partLabels(t).open_group.replace('{n}', String(bars.length)),
          onClick: onOpen,
        },
        [
          icon('chevron'),
          h('span', { 'data-tw-part': 'timeline-name' }, first?.name),
          h('span', { 'data-tw-part': 'timeline-title' }, `×${bars.length}`),
          h('span', { 'data-tw-part': 'elapsed' }, formatDuration(ms, t.locale)),
          h(
            'span',
            { 'data-tw-part': 'timeline-track' },
            segments.map(position => segment(position)),
          ),
        ],
      ),
    ],
  )
}

function barRow(
  bar: TimelineBar,
  { scale, now, t }: DrawContext,
  { current, onSelect }: TimelineProps,
): VNode {
  const { call, kind, state, wait } = bar
  const position = barPosition(bar, scale, now)
  const waited = wait && barPosition(wait, scale, now)
  const isWaiting = wait !== undefined && wait.to === undefined
  const labels = partLabels(t)
  return h(
    'li',
    {
      key: bar.id,
      'data-tw-part': 'timeline-bar',
      'data-kind': kind,
      'data-state': state,
      'data-tw-state': state,
      'data-current': call === current,
      style: { '--tw-depth': bar.depth },
    },
    [
      h(
        'button',
        {
          type: 'button',
          disabled: call === undefined || !onSelect,
          title: barLabel(bar, scale, now, t),
          onClick: () => call !== undefined && onSelect?.(call),
        },
        [
          kind === 'tool' ? icon(STATE_ICONS[state as ToolState]) : null,
          h('span', { 'data-tw-part': 'timeline-name' }, kind === 'model' ? labels.model : bar.name),
          h('span', { 'data-tw-part': 'timeline-title' }, bar.title),
          waited
            ? h(
                'span',
                { 'data-tw-part': 'timeline-waited' },
                labels.waited.replace('{time}', formatDuration(waited.ms, t.locale)),
              )
            : null,
          h('span', { 'data-tw-part': 'elapsed' }, formatDuration(position.ms, t.locale)),
          h('span', { 'data-tw-part': 'timeline-track' }, [
            waited ? segment(waited, true) : null,
            isWaiting ? null : segment(position),
          ]),
        ],
      ),
    ],
  )
}
