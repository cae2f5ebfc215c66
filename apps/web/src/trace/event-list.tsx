/** The session's events exactly as a wire sends them, live. */
import {
  type FrameRow,
  frameRows,
  partWords,
  prettyFrame,
  WIRES,
  type WireName,
  wireOf,
} from '@toolwire/core/parts'
import { formatDuration } from '@toolwire/core/view'
import { CopyButton, LongText, useFrames } from '@toolwire/react'
import { useMemo, useState } from 'react'
import { VList } from 'virtua'
import { AppIcon } from '../app-icon.tsx'
import { useWords } from '../strings/use-words.ts'

export function EventList() {
  const { t, a } = useWords()
  const words = partWords(t)
  const [wire, setWire] = useState<WireName>('canonical')
  const [text, setText] = useState('')
  const frames = useFrames(wire)
  const [open, setOpen] = useState(-1)
  const rows = useMemo(() => frameRows(frames, text), [frames, text])
  return (
    <div className="events">
      <label className="wire">
        {words.wire}
        <select
          value={wire}
          onChange={event => {
            setOpen(-1)
            setWire(wireOf(event.target.value))
          }}
        >
          {WIRES.map(name => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <span className="quiet">{rows.length}</span>
      </label>
      <label className="search event-search">
        <AppIcon name="search" />
        <input
          type="search"
          placeholder={words.filter}
          aria-label={words.filter}
          value={text}
          onChange={event => setText(event.target.value)}
        />
      </label>
      {frames.length === 0 ? (
        <p className="empty">{a('trace.empty')}</p>
      ) : (
        <VList className="event-rows" tabIndex={0}>
          {rows.map(row => (
            <EventRow
              key={row.index}
              row={row}
              open={row.index === open}
              onToggle={() => setOpen(row.index === open ? -1 : row.index)}
            />
          ))}
        </VList>
      )}
    </div>
  )
}

interface EventRowProps {
  readonly row: FrameRow
  readonly open: boolean
  readonly onToggle: () => void
}

function EventRow({ row, open, onToggle }: EventRowProps) {
  const { locale } = useWords()
  const { frame, type, seq, after } = row
  return (
    <div className="event" data-open={open} data-family={type.split('.', 1)[0]}>
      <button type="button" aria-expanded={open} onClick={onToggle}>
        <span className="event-seq">{seq}</span>
        <span className="event-type">{type}</span>
        {after !== undefined && <span className="event-after">+{formatDuration(after, locale)}</span>}
        {!open && <span className="event-data">{frame.data.slice(0, 200)}</span>}
      </button>
      {open && (
        <div className="event-body">
          <LongText text={prettyFrame(frame.data)} name={type} />
          <CopyButton text={frame.data} />
        </div>
      )}
    </div>
  )
}
