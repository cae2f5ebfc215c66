/**
 * The calls of one streamed answer. Pure. A call becomes a block when its name is known and
 * ends when its arguments are a complete object and another call begins, or with the message.
 */
import type { ModelPart, Opaque } from '@toolwire/core'
import { asNumber, asString, isObject, type JsonObject } from '@toolwire/core'
import { NOT_BEGUN, type ObjectScan, scanObject } from '../shared/object-scan.ts'

interface StreamedCall {
  readonly id: string
  readonly at: number | undefined
  readonly name: string
  /** All arguments so far, sent or not. */
  readonly text: string
  /** Progress of its arguments. */
  readonly scan: ObjectScan
  /** The block's index, once it has begun. */
  readonly index?: number
  /** As the provider attached it, such as a signature. */
  readonly extra?: JsonObject | undefined
  readonly isClosed: boolean
}

export interface CallTable {
  readonly calls: readonly StreamedCall[]
  /** Marks what the provider attached to a call as the provider's. */
  readonly toOpaque: (extra_content: JsonObject) => Opaque
}

export const noCalls = (toOpaque: CallTable['toOpaque']): CallTable => ({ calls: [], toOpaque })

interface Progress {
  readonly table: CallTable
  readonly count: number
  readonly parts: readonly ModelPart[]
}

/** Takes all call deltas of one chunk, in order. */
export function stepCalls(table: CallTable, deltas: readonly JsonObject[], count: number): Progress {
  return deltas.reduce<Progress>((progress, delta) => stepCall(progress, delta), { table, count, parts: [] })
}

function stepCall(progress: Progress, delta: JsonObject): Progress {
  const { calls } = progress.table
  const fn = isObject(delta['function']) ? delta['function'] : {}
  const piece = {
    id: asString(delta['id']) ?? '',
    at: asNumber(delta['index']),
    name: asString(fn['name']) ?? '',
    text: argumentsOf(fn['arguments']),
    extra: isObject(delta['extra_content']) ? delta['extra_content'] : undefined,
  }
  const place = findCall(calls, piece)
  if (place === -1) return begin(progress, piece)
  const call = calls[place]
  if (!call || call.isClosed) return progress
  const grown = {
    ...call,
    id: call.id || piece.id,
    name: call.name || piece.name,
    text: call.text + piece.text,
    scan: scanObject(call.scan, piece.text),
    extra: piece.extra ?? call.extra,
  }
  const told = tell(grown, piece.text, progress.count)
  return {
    table: { ...progress.table, calls: calls.with(place, told.call) },
    count: told.count,
    parts: [...progress.parts, ...told.parts],
  }
}

/** Arguments are text; a few servers send the object itself. */
function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value
  return isObject(value) ? JSON.stringify(value) : ''
}

type CallPiece = Pick<StreamedCall, 'id' | 'at' | 'name' | 'text' | 'extra'>

/** Index of the call that the piece belongs to; -1 for a new call. */
function findCall(calls: readonly StreamedCall[], piece: CallPiece): number {
  if (piece.id !== '') {
    const exact = calls.findIndex(call => call.id === piece.id && call.at === piece.at)
    if (exact !== -1) return exact
    const byId = calls.findIndex(call => call.id === piece.id)
    // The same id under another number, with a name: a server that gives all calls one id.
    if (byId !== -1) return piece.name !== '' && piece.at !== undefined ? -1 : byId
    // An id that comes late, for a call known by its number alone.
    return calls.findLastIndex(call => call.id === '' && piece.at !== undefined && call.at === piece.at)
  }
  const last =
    piece.at === undefined
      ? calls.length - 1
      : calls.findLastIndex(call => call.at === undefined || call.at === piece.at)
  const call = calls[last]
  if (!call) return -1
  // No id, but a name after complete arguments: the server numbers every call alike.
  return piece.name !== '' && call.name !== '' && isComplete(call) ? -1 : last
}

const isComplete = ({ scan }: StreamedCall): boolean => scan.place === 'behind'

function begin(progress: Progress, piece: CallPiece): Progress {
  const closed = closeComplete(progress.table)
  const told = tell(
    { ...piece, scan: scanObject(NOT_BEGUN, piece.text), isClosed: false },
    piece.text,
    progress.count,
  )
  return {
    table: { ...progress.table, calls: [...closed.calls, told.call] },
    count: told.count,
    parts: [...progress.parts, ...closed.parts, ...told.parts],
  }
}

/** A complete object cannot grow, so such a call has ended without an explicit end. */
function closeComplete({ calls, toOpaque }: CallTable): {
  readonly calls: readonly StreamedCall[]
  readonly parts: readonly ModelPart[]
} {
  const parts: ModelPart[] = []
  const next = calls.map(call => {
    if (call.isClosed || call.index === undefined || !isComplete(call)) return call
    parts.push(endOf(call, call.index, toOpaque))
    return { ...call, isClosed: true }
  })
  return { calls: next, parts }
}

const endOf = ({ extra }: StreamedCall, index: number, toOpaque: CallTable['toOpaque']): ModelPart => ({
  type: 'block-end',
  index,
  ...(extra === undefined ? {} : { opaque: toOpaque(extra) }),
})

interface CallUpdate {
  readonly call: StreamedCall
  readonly count: number
  readonly parts: readonly ModelPart[]
}

/** Says what is new: the block with all it has gathered, or the latest piece. */
function tell(call: StreamedCall, piece: string, count: number): CallUpdate {
  if (call.index !== undefined)
    return {
      call,
      count,
      parts: piece === '' ? [] : [{ type: 'block-delta', index: call.index, input_text: piece }],
    }
  return call.name === '' ? { call, count, parts: [] } : open(call, count)
}

function open(call: StreamedCall, count: number): CallUpdate {
  const start: ModelPart = {
    type: 'block-start',
    index: count,
    kind: 'tool_use',
    tool: { id: call.id, name: call.name },
  }
  const more: readonly ModelPart[] =
    call.text === '' ? [] : [{ type: 'block-delta', index: count, input_text: call.text }]
  return { call: { ...call, index: count }, count: count + 1, parts: [start, ...more] }
}

/** Ends open calls. A call that never got a name is reported too: the model must see it. */
export function endCalls(
  table: CallTable,
  count: number,
): { readonly parts: readonly ModelPart[]; readonly total: number } {
  let free = count
  const parts = table.calls.flatMap((call): readonly ModelPart[] => {
    if (call.isClosed) return []
    const told = call.index === undefined ? open(call, free) : { call, count: free, parts: [] }
    free = told.count
    const index = told.call.index ?? free
    // A call without arguments is a call with none.
    const empty: readonly ModelPart[] =
      call.text === '' ? [{ type: 'block-delta', index, input_text: '{}' }] : []
    return [...told.parts, ...empty, endOf(call, index, table.toOpaque)]
  })
  return { parts, total: table.calls.length }
}
