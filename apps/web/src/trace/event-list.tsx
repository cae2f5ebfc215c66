/** The session's events exactly as a wire sends them, live. */
import type { Frame } from '@toolwire/client'
import { CopyButton, LongText, useSessionContext } from '@toolwire/react'
import { useEffect, useState } from 'react'
import { VList } from 'virtua'
import { client } from '../client.ts'
import { useWords } from '../strings/use-words.ts'

const WIRES = ['canonical', 'chat', 'thread'] as const
type WireName = (typeof WIRES)[number]

export function EventList() {
  const { a } = useWords()
  const [wire, setWire] = useState<WireName>('canonical')
  const frames = useFrames(wire)
  const [open, setOpen] = useState(-1)
  return (
    <div className="events">
      <label className="wire">
        {a('trace.wire')}
        <select
          value={wire}
          onChange={event => {
            setOpen(-1)
            setWire(WIRES.find(name => name === event.target.value) ?? 'canonical')
          }}
        >
          {WIRES.map(name => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <span className="quiet">{frames.length}</span>
      </label>
      {frames.length === 0 ? (
        <p className="empty">{a('trace.empty')}</p>
      ) : (
        <VList className="event-rows" tabIndex={0}>
          {frames.map((frame, index) => (
            <EventRow
              // biome-ignore lint/suspicious/noArrayIndexKey: frames are only ever added at the end
              key={index}
              frame={frame}
              open={index === open}
              onToggle={() => setOpen(index === open ? -1 : index)}
            />
          ))}
        </VList>
      )}
    </div>
  )
}

/** Every frame so far; begins anew for another wire. Drawn at most ten times a second. */
function useFrames(wire: WireName): readonly Frame[] {
  const { session } = useSessionContext()
  const [frames, setFrames] = useState<readonly Frame[]>([])
  useEffect(() => {
    const stop = new AbortController()
    let all: Frame[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    setFrames([])
    const show = () => {
      timer = undefined
      setFrames([...all])
    }
    const read = async () => {
      for await (const frame of client.frames(session.id, wire, { follow: true, signal: stop.signal })) {
        all.push(frame)
        timer ??= setTimeout(show, 100)
      }
    }
    // A refusal shows in the connection chip; the list keeps what it has.
    read().catch(() => {})
    return () => {
      stop.abort()
      clearTimeout(timer)
      all = []
    }
  }, [session, wire])
  return frames
}

interface EventRowProps {
  readonly frame: Frame
  readonly open: boolean
  readonly onToggle: () => void
}

function EventRow({ frame, open, onToggle }: EventRowProps) {
  const { type, seq } = headOf(frame)
  return (
    <div className="event" data-open={open} data-family={type.split('.', 1)[0]}>
      <button type="button" aria-expanded={open} onClick={onToggle}>
        <span className="event-seq">{seq}</span>
        <span className="event-type">{type}</span>
        {!open && <span className="event-data">{frame.data.slice(0, 200)}</span>}
      </button>
      {open && (
        <div className="event-body">
          <LongText text={pretty(frame.data)} name={type} />
          <CopyButton text={frame.data} />
        </div>
      )}
    </div>
  )
}

function headOf(frame: Frame): { readonly type: string; readonly seq: string } {
  const seq = /\.(\d+)(?:\.\d+)?$/.exec(frame.id ?? '')?.[1] ?? ''
  const type = frame.event ?? /"type":"([^"]+)"/.exec(frame.data)?.[1] ?? 'message'
  return { type, seq }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
