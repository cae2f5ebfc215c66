/** Model requests and tool calls as bars over time. Pauses between exchanges are cut out. */
import { formatDuration, type SessionView, type TurnView } from '@toolwire/core/view'
import { Icon, STATE_ICONS, useNow, useView } from '@toolwire/react'
import { useMemo } from 'react'
import { useWords } from '../strings/use-words.ts'

interface Bar {
  readonly id: string
  readonly name: string
  readonly kind: 'model' | 'tool'
  readonly state: string
  readonly from: number
  readonly to: number | undefined
  readonly call?: string
}

export function Timeline() {
  const { a } = useWords()
  const view = useView(whole)
  const turns = useMemo(() => view.turns.map(turn => ({ turn, bars: barsOf(view, turn) })), [view])
  if (turns.length === 0) return <p className="empty">{a('trace.none')}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <div className="timeline" tabIndex={0}>
      {turns.map(({ turn, bars }, index) => (
        <Exchange key={turn.id} number={index + 1} turn={turn} bars={bars} />
      ))}
    </div>
  )
}

const whole = (view: SessionView): SessionView => view

interface ExchangeProps {
  readonly number: number
  readonly turn: TurnView
  readonly bars: readonly Bar[]
}

function Exchange({ number, turn, bars }: ExchangeProps) {
  const { locale } = useWords()
  const now = useNow(turn.state === 'running')
  const end = Math.max(turn.ended_at ?? 0, ...bars.map(bar => bar.to ?? now), turn.started_at + 1)
  const span = end - turn.started_at
  return (
    <section>
      <h3>
        #{number}
        <span>{formatDuration(span, locale)}</span>
      </h3>
      <ol>
        {bars.map(bar => (
          <Row key={bar.id} bar={bar} start={turn.started_at} span={span} now={now} />
        ))}
      </ol>
    </section>
  )
}

interface RowProps {
  readonly bar: Bar
  readonly start: number
  readonly span: number
  readonly now: number
}

function Row({ bar, start, span, now }: RowProps) {
  const { a, locale } = useWords()
  const to = bar.to ?? now
  const left = Math.min(98, (100 * (bar.from - start)) / span)
  const width = Math.max(1.5, Math.min(100 - left, (100 * (to - bar.from)) / span))
  const show = () =>
    document.getElementById(`call-${bar.call}`)?.scrollIntoView({ block: 'center', behavior: 'smooth' })
  const label = bar.kind === 'model' ? a('trace.model') : bar.name
  return (
    <li data-kind={bar.kind} data-state={bar.state}>
      <button type="button" disabled={bar.call === undefined} onClick={show}>
        <span className="bar-name">
          {bar.kind === 'tool' && (
            <Icon name={STATE_ICONS[bar.state as keyof typeof STATE_ICONS] ?? 'ring'} />
          )}
          {label}
        </span>
        <span className="bar-time">{formatDuration(to - bar.from, locale)}</span>
        <span className="bar-track">
          <i style={{ left: `${left}%`, width: `${width}%` }} />
        </span>
      </button>
    </li>
  )
}

function barsOf(view: SessionView, turn: TurnView): readonly Bar[] {
  return turn.messages.flatMap((id): readonly Bar[] => {
    const message = view.messages.get(id)
    if (message?.role !== 'assistant') return []
    const model: Bar = {
      id,
      name: message.model ?? '',
      kind: 'model',
      state: message.state,
      from: message.started_at,
      to: message.ended_at,
    }
    const calls = message.blocks.flatMap((block): readonly Bar[] => {
      const call = view.calls.get(view.blocks.get(block)?.call ?? '')
      if (!call) return []
      const from = call.started_at ?? call.created_at
      return [
        {
          id: call.id,
          name: call.name,
          kind: 'tool',
          state: call.state,
          from,
          to: call.ended_at,
          call: call.id,
        },
      ]
    })
    return [model, ...calls]
  })
}
