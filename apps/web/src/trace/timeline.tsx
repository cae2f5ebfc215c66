/** Model requests and tool calls as bars over time, one scale per exchange. Only rows in sight exist. */
import { barPlace, partWords, type TimelineBar, timelineEnds, timelineRows } from '@toolwire/core/parts'
import { formatDuration, type SessionView } from '@toolwire/core/view'
import { useNow, useView } from '@toolwire/react'
import { type CSSProperties, useEffect, useMemo, useRef } from 'react'
import { VList, type VListHandle } from 'virtua'
import { revealCall } from '../reveal-call.ts'
import { StateIcon } from '../state-icon.tsx'
import { useWords } from '../strings/use-words.ts'
import { useTraceTarget } from './trace-target.ts'

export function Timeline() {
  const { a } = useWords()
  const view = useView(whole)
  const rows = useMemo(() => timelineRows(view), [view])
  const now = useNow(view.phase === 'running')
  const ends = useMemo(() => timelineEnds(rows, now), [rows, now])
  const target = useTraceTarget()
  const list = useRef<VListHandle>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new target moves the list; new rows must not
  useEffect(() => {
    const index = rows.findIndex(row => row.type === 'bar' && row.call === target)
    if (index >= 0) list.current?.scrollToIndex(index, { align: 'center' })
  }, [target])
  if (rows.length === 0) return <p className="empty">{a('trace.none')}</p>
  return (
    <VList ref={list} className="timeline" tabIndex={0}>
      {rows.map(row => {
        const end = ends.get(row.turn.id) ?? now
        return row.type === 'turn' ? (
          <Heading key={row.id} number={row.number} span={end - row.turn.started_at} />
        ) : (
          <Bar key={row.id} bar={row} end={end} now={now} current={row.call === target} />
        )
      })}
    </VList>
  )
}

const whole = (view: SessionView): SessionView => view

function Heading({ number, span }: { readonly number: number; readonly span: number }) {
  const { locale } = useWords()
  return (
    <h3>
      #{number}
      <span>{formatDuration(span, locale)}</span>
    </h3>
  )
}

interface BarProps {
  readonly bar: TimelineBar
  readonly end: number
  readonly now: number
  readonly current: boolean
}

function Bar({ bar, end, now, current }: BarProps) {
  const { t, locale } = useWords()
  const { left, width, ms } = barPlace(bar, end, now)
  const { call } = bar
  return (
    <div
      className="bar"
      data-kind={bar.kind}
      data-state={bar.state}
      data-current={current}
      style={{ '--depth': bar.depth } as CSSProperties}
    >
      <button
        type="button"
        disabled={call === undefined}
        onClick={() => call !== undefined && revealCall(call)}
      >
        <span className="bar-name">
          {bar.kind === 'tool' && <StateIcon state={bar.state} />}
          {bar.kind === 'model' ? partWords(t).model : bar.name}
        </span>
        <span className="bar-time">{formatDuration(ms, locale)}</span>
        <span className="bar-track">
          <i style={{ left: `${left}%`, width: `${width}%` }} />
        </span>
      </button>
    </div>
  )
}
