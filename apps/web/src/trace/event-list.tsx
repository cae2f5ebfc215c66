/** The session's events exactly as a wire sends them, live. */
import type { Frame } from '@toolwire/client'
import { formatDuration } from '@toolwire/core/view'
import { CopyButton, LongText, useSessionContext } from '@toolwire/react'
import { useEffect, useMemo, useState } from 'react'
import { VList } from 'virtua'
import { AppIcon } from '../app-icon.tsx'
import { client } from '../client.ts'
import { useWords } from '../strings/use-words.ts'
import { useVisible } from '../use-rest-while-hidden.ts'

const WIRES = ['canonical', 'chat', 'thread', 'openai-chat', 'anthropic-messages'] as const
type WireName = (typeof WIRES)[number]

export function EventList() {
  const { a } = useWords()
  const [wire, setWire] = useState<WireName>('canonical')
  const [text, setText] = useState('')
  const frames = useFrames(wire)
  const [open, setOpen] = useState(-1)
  const rows = useMemo(() => toRows(frames, text), [frames, text])
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
        <span className="quiet">{rows.length}</span>
      </label>
      <label className="search event-search">
        <AppIcon name="search" />
        <input
          type="search"
          placeholder={a('trace.filter')}
          aria-label={a('trace.filter')}
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

/** Every frame so far; begins anew for another wire. Drawn at most ten times a second. */
function useFrames(wire: WireName): readonly Frame[] {
  const { session } = useSessionContext()
  const [frames, setFrames] = useState<readonly Frame[]>([])
  const visible = useVisible()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another wire begins with an empty list
  useEffect(() => setFrames([]), [session, wire])
  useEffect(() => {
    if (!visible) return
    const stop = new AbortController()
    let all: Frame[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
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
  }, [session, wire, visible])
  return frames
}

interface Row {
  readonly index: number
  readonly frame: Frame
  readonly type: string
  readonly seq: string
  /** Milliseconds since the row before; undefined where the wire tells no time. */
  readonly after: number | undefined
}

/** Frames that hold the text, whatever its case. */
function toRows(frames: readonly Frame[], text: string): readonly Row[] {
  const wanted = text.trim().toLowerCase()
  let before: number | undefined
  return frames.flatMap((frame, index): readonly Row[] => {
    const at = timeOf(frame)
    const after = at === undefined || before === undefined ? undefined : at - before
    before = at ?? before
    const head = headOf(frame)
    if (wanted !== '' && !`${head.type} ${frame.data}`.toLowerCase().includes(wanted)) return []
    return [{ index, frame, ...head, after }]
  })
}

function timeOf(frame: Frame): number | undefined {
  const at = Date.parse(/"ts":"([^"]+)"/.exec(frame.data)?.[1] ?? '')
  return Number.isNaN(at) ? undefined : at
}

interface EventRowProps {
  readonly row: Row
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
          <LongText text={pretty(frame.data)} name={type} />
          <CopyButton text={frame.data} />
        </div>
      )}
    </div>
  )
}

function headOf(frame: Frame): { readonly type: string; readonly seq: string } {
  const seq = /\.(\d+)(?:\.\d+)?$/.exec(frame.id ?? '')?.[1] ?? ''
  const type = frame.event ?? /"(?:type|object)":"([^"]+)"/.exec(frame.data)?.[1] ?? plainType(frame.data)
  return { type, seq }
}

/** A frame without a type: the word that ends a stream, or an error. */
function plainType(data: string): string {
  if (data === '[DONE]') return data
  return data.startsWith('{"error"') ? 'error' : 'message'
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
