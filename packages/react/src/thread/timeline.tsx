/** Model requests and tool calls of the session as bars over time, one scale per exchange. */
import {
  barPlace,
  partLabels,
  rowsToShow,
  STATE_ICONS,
  showCurrentBar,
  type TimelineBar,
  timelineEnds,
  timelineRows,
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
  const rows = useMemo(() => timelineRows(view), [view])
  const now = useNow(view.phase === 'running', clock)
  const ends = useMemo(() => timelineEnds(rows, now), [rows, now])
  const list = useRef<HTMLOListElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another call scrolls the list
  useEffect(() => showCurrentBar(list.current), [current])
  const count = rowsToShow(rows, shown, current)
  if (rows.length === 0) return <p data-tw-part="empty">{t('session.empty')}</p>
  return (
    <ol ref={list} data-tw-part="timeline" aria-label={t('trace.timeline')}>
      {rows.length > count && (
        <li>
          <button type="button" data-tw-part="more" onClick={() => setShown(count + ROWS)}>
            {partLabels(t).earlier}
          </button>
        </li>
      )}
      {rows.slice(-count).map(row => {
        const end = ends.get(row.turn.id) ?? now
        return row.type === 'turn' ? (
          <li key={row.id} data-tw-part="timeline-turn" data-turn-id={row.id}>
            <strong>{`#${row.number}`}</strong>
            <span data-tw-part="elapsed">{formatDuration(end - row.turn.started_at, t.locale)}</span>
          </li>
        ) : (
          <Bar
            key={row.id}
            bar={row}
            end={end}
            now={now}
            current={row.call === current}
            onSelect={onSelect}
          />
        )
      })}
    </ol>
  )
}

const whole = (view: SessionView): SessionView => view

interface BarProps {
  readonly bar: TimelineBar
  readonly end: number
  readonly now: number
  readonly current: boolean
  readonly onSelect: TimelineProps['onSelect']
}

function Bar({ bar, end, now, current, onSelect }: BarProps) {
  const { t } = useSessionContext()
  const { call, kind, state } = bar
  const { left, width, ms } = barPlace(bar, end, now)
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
        onClick={() => call !== undefined && onSelect?.(call)}
      >
        {kind === 'tool' && <Icon name={STATE_ICONS[state as ToolState]} />}
        <span data-tw-part="timeline-name">{kind === 'model' ? partLabels(t).model : bar.name}</span>
        <span data-tw-part="elapsed">{formatDuration(ms, t.locale)}</span>
        <span data-tw-part="timeline-track">
          <i style={{ left: `${left}%`, width: `${width}%` }} />
        </span>
      </button>
    </li>
  )
}
