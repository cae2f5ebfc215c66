/**
 * The folded form of consecutive events: every event comes back exactly as it was, with its
 * time, offset, text and order of fields, from about a sixteenth of the space.
 *
 * A run of previews that differ only in time and text is kept once, with the joined text, the
 * lengths and the time steps; what does not fit a run is kept whole. The rest is deflate's work.
 * No imports but types and node: it also runs inside the writer thread.
 */
import { constants } from 'node:buffer'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { SessionEvent } from '@toolwire/core'

type Fields = Readonly<Record<string, unknown>>
/** first event, name of its text field, joined text, lengths, milliseconds since the event before. */
type Run = [first: Fields, field: string, text: string, lengths: number[], steps: number[]]

const VERSION = 1
/** No text can be longer, so nothing that unpacks to more was ever packed. */
const UNPACK = { maxOutputLength: constants.MAX_STRING_LENGTH }
const TEXT_FIELDS: readonly string[] = ['text', 'input_text', 'thinking', 'output_delta']
const PREVIEWS: ReadonlySet<unknown> = new Set(['block.delta', 'tool.progress'])

/** Packs events as they were parsed from JSON. */
export function packEvents(events: readonly SessionEvent[]): Uint8Array {
  const items: (Fields | Run)[] = []
  let growing: PartialRun | undefined
  for (const event of events) {
    if (growing && extend(growing, event)) continue
    growing = startRun(event)
    items.push(growing ? growing.run : event)
  }
  const body = deflateRawSync(JSON.stringify(items.map(shorten)))
  const packed = new Uint8Array(body.length + 1)
  packed[0] = VERSION
  packed.set(body, 1)
  return packed
}

/** The events of a packed row. Throws when the bytes are not of a known form. */
export function unpackEvents(packed: Uint8Array): readonly SessionEvent[] {
  if (packed[0] !== VERSION) throw new Error(`A packed row has the unknown form ${packed[0]}.`)
  const items = JSON.parse(inflateRawSync(packed.subarray(1), UNPACK).toString()) as readonly (Fields | Run)[]
  const events: Fields[] = []
  for (const item of items) {
    if (isRun(item)) unpackRun(item, events)
    else events.push(item)
  }
  return events as unknown as readonly SessionEvent[]
}

interface PartialRun {
  readonly run: Run
  readonly keys: readonly string[]
  time: number
  offset: number
}

const isRun = (item: Fields | Run): item is Run => Array.isArray(item)

/** A run of one costs more than the event itself. */
const shorten = (item: Fields | Run): Fields | Run => (isRun(item) && item[3].length === 1 ? item[0] : item)

function startRun(event: Fields): PartialRun | undefined {
  if (!PREVIEWS.has(event['type'])) return undefined
  const fields = TEXT_FIELDS.filter(field => field in event)
  const [field] = fields
  const text = field === undefined ? undefined : event[field]
  const time = toTime(event['ts'])
  if (field === undefined || fields.length > 1 || typeof text !== 'string' || time === undefined)
    return undefined
  const offset = event['offset']
  if (offset !== undefined && typeof offset !== 'number') return undefined
  return {
    run: [event, field, text, [text.length], []],
    keys: Object.keys(event),
    time,
    offset: (offset ?? 0) + text.length,
  }
}

/** Adds the event if it differs from the first one only in fields that a packed run can hold. */
function extend(growing: PartialRun, event: Fields): boolean {
  const [first, field, , lengths, steps] = growing.run
  const text = event[field]
  const time = toTime(event['ts'])
  if (typeof text !== 'string' || time === undefined || !isAlike(growing, event)) return false
  if ('offset' in first && event['offset'] !== growing.offset) return false
  growing.run[2] += text
  lengths.push(text.length)
  steps.push(time - growing.time)
  growing.time = time
  growing.offset += text.length
  return true
}

function isAlike(growing: PartialRun, event: Fields): boolean {
  const [first, field] = growing.run
  const keys = Object.keys(event)
  if (keys.length !== growing.keys.length) return false
  return keys.every((key, i) => {
    if (key !== growing.keys[i]) return false
    return key === 'ts' || key === 'offset' || key === field || event[key] === first[key]
  })
}

function unpackRun(run: Run, events: Fields[]): void {
  const [first, field, text, lengths, steps] = run
  let time = toTime(first['ts']) ?? 0
  let at = 0
  const start = typeof first['offset'] === 'number' ? first['offset'] : undefined
  for (const [i, length] of lengths.entries()) {
    if (i > 0) time += steps[i - 1] ?? 0
    const event: Record<string, unknown> = {
      ...first,
      ts: new Date(time).toISOString(),
      [field]: text.slice(at, at + length),
    }
    if (start !== undefined) event['offset'] = start + at
    events.push(event)
    at += length
  }
}

/** Milliseconds of a time, when writing them out again gives the same characters. */
function toTime(ts: unknown): number | undefined {
  if (typeof ts !== 'string') return undefined
  const time = Date.parse(ts)
  return Number.isNaN(time) || new Date(time).toISOString() !== ts ? undefined : time
}
