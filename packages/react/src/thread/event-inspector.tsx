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
import { useMemo, useState } from 'react'
import { LongText } from '../output/long-text.tsx'
import { useSessionContext } from '../session/session-context.ts'
import { useFrames } from '../session/use-events.ts'
import { CopyButton } from '../shared/copy-button.tsx'

/** The latest rows are drawn, and as many more with every click. */
const ROWS = 300

/** Reads the log through the chosen wire while it is mounted and seen. */
export function EventInspector() {
  const { t } = useSessionContext()
  const words = partLabels(t)
  const [wire, setWire] = useState<WireName>('canonical')
  const [text, setText] = useState('')
  const [open, setOpen] = useState(-1)
  const [shown, setShown] = useState(ROWS)
  const frames = useFrames(wire)
  const rows = useMemo(() => frameRows(frames, text), [frames, text])
  const choose = (name: string) => {
    setOpen(-1)
    setWire(wireOf(name))
  }
  return (
    <section data-tw-part="events" aria-label={t('trace.events')}>
      <header>
        <label>
          {words.wire}
          <select data-tw-part="events-wire" value={wire} onChange={event => choose(event.target.value)}>
            {WIRES.map(name => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <input
          type="search"
          data-tw-part="events-filter"
          aria-label={words.filter}
          placeholder={words.filter}
          value={text}
          onChange={event => setText(event.target.value)}
        />
        <output data-tw-part="events-count">{rows.length}</output>
      </header>
      {frames.length === 0 && <p data-tw-part="empty">{t('session.empty')}</p>}
      <ol>
        {rows.length > shown && (
          <li>
            <button type="button" data-tw-part="more" onClick={() => setShown(shown + ROWS)}>
              {words.earlier}
            </button>
          </li>
        )}
        {rows.slice(-shown).map(row => (
          <Row
            key={row.index}
            row={row}
            open={row.index === open}
            onToggle={() => setOpen(row.index === open ? -1 : row.index)}
          />
        ))}
      </ol>
    </section>
  )
}

interface FrameRowProps {
  readonly row: FrameRow
  readonly open: boolean
  readonly onToggle: () => void
}

function Row({ row: { frame, type, seq, after }, open, onToggle }: FrameRowProps) {
  const { t } = useSessionContext()
  return (
    <li data-tw-part="event" data-open={open} data-family={type.split('.', 1)[0]}>
      <button type="button" aria-expanded={open} onClick={onToggle}>
        <span data-tw-part="event-seq">{seq}</span>
        <span data-tw-part="event-type">{type}</span>
        {after !== undefined && (
          <span data-tw-part="event-after">{`+${formatDuration(after, t.locale)}`}</span>
        )}
        {!open && <span data-tw-part="event-data">{frame.data.slice(0, 200)}</span>}
      </button>
      {open && (
        <div data-tw-part="event-body">
          <LongText text={prettyFrame(frame.data)} name={type} />
          <CopyButton text={frame.data} />
        </div>
      )}
    </li>
  )
}
