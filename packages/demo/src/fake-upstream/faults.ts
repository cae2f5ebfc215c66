/**
 * The fault knobs: what may go wrong, how it is asked for, and what it does to frames.
 * Written as `name;key=value;…`, e.g. `429;retry-after=2;times=1` or `cut-frame;after=3`.
 */
import { isObject, parseJson } from '@toolwire/core'
import { errorFrame } from './encode-messages.ts'
import { chatErrorOf } from './error-bodies.ts'
import type { Frame } from './frame.ts'
import { failedFrames, RESPONSES_FAULTS, spoilResponse } from './responses-faults.ts'

/** Answers with this status and an error body, before any stream; 400 may blame the schema of a `tool`. */
export const STATUS_FAULTS = ['400', '401', '403', '404', '413', '429', '500', '503', '529'] as const

export const STREAM_FAULTS = [
  /** Refuses, in the vendor's words, what has more than `tokens` tokens. */
  'context-window',
  /** The connection dies before an answer. */
  'reset',
  /** The same, and nothing listens for a while, as during a restart. */
  'refused',
  /** The connection dies inside a frame, or inside a character. */
  'cut-frame',
  'cut-utf8',
  /** The stream ends politely, but too early. */
  'cut-clean',
  'one-byte',
  'crlf',
  'malformed-json',
  'error-event',
  'silence',
  'silence-pings',
  'interleaved',
  'wrong-index',
  'duplicate-ids',
  'missing-usage',
  'slow-first-byte',
] as const

export type FaultName =
  | (typeof STATUS_FAULTS)[number]
  | (typeof STREAM_FAULTS)[number]
  | (typeof RESPONSES_FAULTS)[number]

export interface Fault {
  readonly name: FaultName
  /** Frames to let through before it strikes; half of them when absent. */
  readonly after?: number
  /** Requests it strikes; all when absent. */
  readonly times?: number
  /** Seconds, as the `retry-after` header says them. */
  readonly retryAfter?: number
  /** Tokens that a request may have, by the count of four characters each. */
  readonly tokens?: number
  /** The place of the tool whose schema is to blame. */
  readonly tool?: number
  /** Milliseconds of delay, between pings, or without a listener. */
  readonly ms?: number
}

const NAMES: ReadonlySet<string> = new Set([...STATUS_FAULTS, ...STREAM_FAULTS, ...RESPONSES_FAULTS])

const SETTINGS = ['after', 'times', 'retry-after', 'ms', 'tokens', 'tool'] as const

/** Undefined for a fault that does not exist. */
export function parseFault(text: string): Fault | undefined {
  const [name = '', ...settings] = text.split(';').map(piece => piece.trim())
  if (!NAMES.has(name)) return undefined
  const given = new Map(settings.map(setting => setting.split('=', 2) as [string, string]))
  const number = (key: string): number | undefined => (given.has(key) ? Number(given.get(key)) : undefined)
  const [after, times, retryAfter, ms, tokens, tool] = SETTINGS.map(number)
  return {
    name: name as FaultName,
    ...(after === undefined ? {} : { after }),
    ...(times === undefined ? {} : { times }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(ms === undefined ? {} : { ms }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(tool === undefined ? {} : { tool }),
  }
}

/** Frames as a faulty provider would send them. Faults of bytes and time leave them as they are. */
export function corruptFrames(frames: readonly Frame[], fault: Fault): readonly Frame[] {
  const half = fault.after ?? Math.floor(frames.length / 2)
  switch (fault.name) {
    case 'malformed-json':
      return [...frames.slice(0, half), broken(frames[half]), ...frames.slice(half + 1)]
    case 'error-event':
      return [...frames.slice(0, half), ...errorLike(frames[0])]
    case 'cut-clean':
      return frames.slice(0, half)
    case 'interleaved':
      return interleave(frames)
    case 'wrong-index':
      return frames.map(misnumber)
    case 'duplicate-ids':
      return frames.map(sameId)
    case 'missing-usage':
      return frames.flatMap(withoutUsage)
    default:
      return spoilResponse(frames, fault.name, half)
  }
}

const broken = (frame: Frame | undefined): Frame => ({
  ...(frame?.event === undefined ? {} : { event: frame.event }),
  data: (frame?.data ?? '{"x').slice(0, -2),
})

function errorLike(first: Frame | undefined): readonly Frame[] {
  if (first?.event?.startsWith('response.')) return failedFrames(first)
  if (first?.event !== undefined) return [errorFrame('overloaded_error', 'Overloaded')]
  return [{ data: JSON.stringify(chatErrorOf(529, 'The server is overloaded.')) }]
}

/** The block or call of a frame; undefined for frames of the message itself. */
function blockOf(frame: Frame): string | undefined {
  const data = parseJson(frame.data)
  if (!isObject(data)) return undefined
  if (typeof data['index'] === 'number') return `block ${data['index']}`
  if (typeof data['output_index'] === 'number') return `item ${data['output_index']}`
  const call = callOf(data)
  return call ? `call ${call['index']}` : undefined
}

type Loose = Record<string, unknown>

function callOf(data: Readonly<Loose>): Loose | undefined {
  const choice: unknown = Array.isArray(data['choices']) ? data['choices'][0] : undefined
  const delta = isObject(choice) ? choice['delta'] : undefined
  const calls = isObject(delta) ? delta['tool_calls'] : undefined
  return Array.isArray(calls) ? (calls[0] as Loose) : undefined
}

/** All blocks begin at once and then take turns. */
function interleave(frames: readonly Frame[]): readonly Frame[] {
  const lanes = new Map<string, Frame[]>()
  for (const frame of frames) {
    const key = blockOf(frame)
    if (key !== undefined) lanes.set(key, [...(lanes.get(key) ?? []), frame])
  }
  const first = frames.findIndex(frame => blockOf(frame) !== undefined)
  const last = frames.findLastIndex(frame => blockOf(frame) !== undefined)
  const mixed: Frame[] = []
  for (let turn = 0; mixed.length < [...lanes.values()].flat().length; turn++)
    for (const lane of lanes.values()) mixed.push(...lane.slice(turn, turn + 1))
  const others = frames.slice(first, last).filter(frame => blockOf(frame) === undefined)
  return [...frames.slice(0, Math.max(0, first)), ...others, ...mixed, ...frames.slice(last + 1)]
}

/** Deltas and ends of every block claim to be of the first; calls are all numbered 0. */
function misnumber(frame: Frame): Frame {
  return edit(frame, data => {
    const call = callOf(data)
    if (call) call['index'] = 0
    else if (data['type'] === 'content_block_delta' || data['type'] === 'content_block_stop')
      data['index'] = 0
    else if (data['output_index'] !== undefined && data['item'] === undefined) data['output_index'] = 0
  })
}

function sameId(frame: Frame): Frame {
  return edit(frame, data => {
    const call = callOf(data)
    if (call?.['id'] !== undefined) call['id'] = 'call_same'
    const item = data['item']
    if (isObject(item) && item['call_id'] !== undefined) (item as Loose)['call_id'] = 'call_same'
    const block = data['content_block']
    if (isObject(block) && block['type'] === 'tool_use') (block as Loose)['id'] = 'toolu_same'
  })
}

function withoutUsage(frame: Frame): readonly Frame[] {
  const data = parseJson(frame.data)
  if (!isObject(data)) return [frame]
  if (Array.isArray(data['choices']) && data['choices'].length === 0) return []
  return [
    edit(frame, copy => {
      delete copy['usage']
      for (const name of ['message', 'response'])
        if (isObject(copy[name])) delete (copy[name] as Loose)['usage']
    }),
  ]
}

function edit(frame: Frame, change: (data: Loose) => void): Frame {
  const data = parseJson(frame.data)
  if (!isObject(data)) return frame
  change(data as Loose)
  return { ...frame, data: JSON.stringify(data) }
}
