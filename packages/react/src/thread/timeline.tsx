/** Model requests and tool calls of the session as bars over time, one scale per exchange. */
import {
  barLabel,
  barPosition,
  groupWith,
  partLabels,
  rowsToShow,
  STATE_ICONS,
  showCurrentBar,
  type TimelineBar,
  type TimelineGroup,
  type TimelineScale,
  type TimelineTurn,
  timelineEnds,
  timelineRows,
  timelineScales,
  timelineTotals,
  ZOOMS,
} from '@toolwire/core/parts'
import { formatDuration, type SessionView, type ToolState } from '@toolwire/core/view'
import { type CSSProperties, useEffect, useMemo, useRef, useState } from 'react'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { Icon } from '../shared/icon.tsx'
import { useNow } from '../shared/use-now.ts'

/** The latest rows are drawn, and as many more with every click. */
const ROWS = 300

export interface TimelineProps {
  /** Id of the call to point out; its bar is scrolled into view. */
  readonly current?: string
  /** Called with the id of the call whose bar was pressed. */
  readonly onSelect?: (callId: string) => void
}

export function Timeline({ current, onSelect }: TimelineProps) {
  const { t, clock } = useSessionContext()
  const view = useView(whole)
  const [shown, setShown] = useState(ROWS)
  const [zoom, setZoom] = useState(0)
  const [collapse, setCollapse] = useState(true)
  const { rows, open } = useRows(view, current)
  const now = useNow(view.phase !== 'idle', clock)
  const ends = useMemo(() => timelineEnds(rows, now), [rows, now])
  const scales = useMemo(() => timelineScales(rows, ends, { now, collapse }), [rows, ends, now, collapse])
  const list = useRef<HTMLOListElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another call scrolls the list
  useEffect(() => showCurrentBar(list.current), [current])
  const count = rowsToShow(rows, shown, current)
  if (rows.length === 0) return <p data-tw-part="empty">{t('session.empty')}</p>
  return (
    <section data-tw-part="timeline-box">
      <Head
        scales={scales}
        zoom={zoom}
        onZoom={setZoom}
        collapse={collapse}
        onCollapse={() => setCollapse(!collapse)}
      />
      <ol
        ref={list}
        data-tw-part="timeline"
        aria-label={t('trace.timeline')}
        style={{ '--tw-zoom': ZOOMS[zoom] } as CSSProperties}
      >
        {rows.length > count && (
          <li>
            <button type="button" data-tw-part="more" onClick={() => setShown(count + ROWS)}>
              {partLabels(t).earlier}
            </button>
          </li>
        )}
        {rows.slice(-count).map(row => {
          const scale = scales.get(row.turn.id)
          if (!scale) return null
          if (row.type === 'turn') return <TurnRow key={row.id} row={row} scale={scale} />
          if (row.type === 'group')
            return <GroupRow key={row.id} group={row} scale={scale} now={now} onOpen={() => open(row.id)} />
          return (
            <BarRow
              key={row.id}
              bar={row}
              scale={scale}
              now={now}
              current={row.call === current}
              onSelect={onSelect}
            />
          )
        })}
      </ol>
    </section>
  )
}

const whole = (view: SessionView): SessionView => view

/** Groups that the user opened, and the one that holds the current call, are shown call by call. */
function useRows(view: SessionView, current: string | undefined) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const rows = useMemo(() => {
    const plain = timelineRows(view, opened)
    const group = groupWith(plain, current)
    return group === undefined ? plain : timelineRows(view, new Set([...opened, group]))
  }, [view, opened, current])
  return { rows, open: (id: string) => setOpened(new Set([...opened, id])) }
}

interface HeadProps {
  readonly scales: ReadonlyMap<string, TimelineScale>
  readonly zoom: number
  readonly onZoom: (zoom: number) => void
  readonly collapse: boolean
  readonly onCollapse: () => void
}

function Head({ scales, zoom, onZoom, collapse, onCollapse }: HeadProps) {
  const { t } = useSessionContext()
  const labels = partLabels(t)
  return (
    <header data-tw-part="timeline-head">
      <span>{timelineTotals(scales, t)}</span>
      <label data-tw-part="timeline-collapse">
        <input type="checkbox" checked={collapse} onChange={onCollapse} />
        {labels.collapse_waits}
      </label>
      <span data-tw-part="timeline-zoom">
        <button
          type="button"
          aria-label={labels.zoom_out}
          disabled={zoom === 0}
          onClick={() => onZoom(zoom - 1)}
        >
          −
        </button>
        <button type="button" disabled={zoom === 0} onClick={() => onZoom(0)}>
          {labels.zoom_fit}
        </button>
        <button
          type="button"
          aria-label={labels.zoom_in}
          disabled={zoom === ZOOMS.length - 1}
          onClick={() => onZoom(zoom + 1)}
        >
          +
        </button>
      </span>
    </header>
  )
}

function TurnRow({ row, scale }: { readonly row: TimelineTurn; readonly scale: TimelineScale }) {
  const { t } = useSessionContext()
  return (
    <li data-tw-part="timeline-turn" data-turn-id={row.id}>
      <strong>{`#${row.number}`}</strong>
      <span data-tw-part="timeline-title">{row.title}</span>
      <span data-tw-part="elapsed">{formatDuration(scale.active_ms, t.locale)}</span>
    </li>
  )
}

interface GroupRowProps {
  readonly group: TimelineGroup
  readonly scale: TimelineScale
  readonly now: number
  readonly onOpen: () => void
}

/** Several calls as one line with a segment each. */
function GroupRow({ group, scale, now, onOpen }: GroupRowProps) {
  const { t } = useSessionContext()
  const { bars } = group
  const [first] = bars
  const segments = bars.map(bar => barPosition(bar, scale, now))
  return (
    <li
      data-tw-part="timeline-bar"
      data-kind="group"
      style={{ '--tw-depth': first?.depth ?? 0 } as CSSProperties}
    >
      <button
        type="button"
        aria-expanded={false}
        title={partLabels(t).open_group.replace('{n}', String(bars.length))}
        onClick={onOpen}
      >
        <Icon name="chevron" />
        <span data-tw-part="timeline-name">{first?.name}</span>
        <span data-tw-part="timeline-title">{`×${bars.length}`}</span>
        <span data-tw-part="elapsed">
          {formatDuration(
            segments.reduce((sum, position) => sum + position.ms, 0),
            t.locale,
          )}
        </span>
        <span data-tw-part="timeline-track">
          {segments.map((position, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: segments have no identity but their position
            <i key={index} style={{ left: `${position.left}%`, width: `${position.width}%` }} />
          ))}
        </span>
      </button>
    </li>
  )
}

interface BarRowProps {
  readonly bar: TimelineBar
  readonly scale: TimelineScale
  readonly now: number
  readonly current: boolean
  readonly onSelect: TimelineProps['onSelect']
}

function BarRow({ bar, scale, now, current, onSelect }: BarRowProps) {
  const { t } = useSessionContext()
  const { call, kind, state, wait } = bar
  const { left, width, ms } = barPosition(bar, scale, now)
  const waited = wait && barPosition(wait, scale, now)
  const isWaiting = wait !== undefined && wait.to === undefined
  return (
    <li
      data-tw-part="timeline-bar"
      data-kind={kind}
      data-state={state}
      data-tw-state={state}
      data-current={current}
      style={{ '--tw-depth': bar.depth } as CSSProperties}
    >
      <button
        type="button"
        disabled={call === undefined || !onSelect}
        title={barLabel(bar, scale, now, t)}
        onClick={() => call !== undefined && onSelect?.(call)}
      >
        {kind === 'tool' && <Icon name={STATE_ICONS[state as ToolState]} />}
        <span data-tw-part="timeline-name">{kind === 'model' ? partLabels(t).model : bar.name}</span>
        <span data-tw-part="timeline-title">{bar.title}</span>
        {waited && (
          <span data-tw-part="timeline-waited">
            {partLabels(t).waited.replace('{time}', formatDuration(waited.ms, t.locale))}
          </span>
        )}
        <span data-tw-part="elapsed">{formatDuration(ms, t.locale)}</span>
        <span data-tw-part="timeline-track">
          {waited && <i data-wait="true" style={{ left: `${waited.left}%`, width: `${waited.width}%` }} />}
          {!isWaiting && <i style={{ left: `${left}%`, width: `${width}%` }} />}
        </span>
      </button>
    </li>
  )
}
