/** Frames of any wire as rows of a list: what each is, when it came, and its text. Pure. */

/** The wires that a session can be read through. */
export const WIRES = ['canonical', 'chat', 'thread', 'openai-chat', 'anthropic-messages'] as const
export type WireName = (typeof WIRES)[number]

/** The wire of that name; the canonical one for any other word. */
export const wireOf = (name: string): WireName => WIRES.find(wire => wire === name) ?? 'canonical'

/** The fields of a frame that are read. */
export interface FrameLike {
  readonly id?: string | undefined
  readonly event?: string | undefined
  readonly data: string
}

export interface FrameRow {
  /** Its place among all frames. */
  readonly index: number
  readonly frame: FrameLike
  readonly type: string
  /** The record's seq; '' where the wire has none. */
  readonly seq: string
  /** Milliseconds since the previous row; undefined where the wire has no time. */
  readonly after: number | undefined
}

/** Frames that hold the text, whatever its case; all for an empty one. */
export function frameRows(frames: readonly FrameLike[], text: string): readonly FrameRow[] {
  const wanted = text.trim().toLowerCase()
  let before: number | undefined
  return frames.flatMap((frame, index): readonly FrameRow[] => {
    const at = timeOf(frame)
    const after = at === undefined || before === undefined ? undefined : at - before
    before = at ?? before
    const head = headOf(frame)
    if (wanted !== '' && !`${head.type} ${frame.data}`.toLowerCase().includes(wanted)) return []
    return [{ index, frame, ...head, after }]
  })
}

function timeOf(frame: FrameLike): number | undefined {
  const at = Date.parse(/"ts":"([^"]+)"/.exec(frame.data)?.[1] ?? '')
  return Number.isNaN(at) ? undefined : at
}

function headOf(frame: FrameLike): { readonly type: string; readonly seq: string } {
  const seq = /\.(\d+)(?:\.\d+)?$/.exec(frame.id ?? '')?.[1] ?? ''
  const type = frame.event ?? /"(?:type|object)":"([^"]+)"/.exec(frame.data)?.[1] ?? plainType(frame.data)
  return { type, seq }
}

/** A frame without a type: the word that ends a stream, or an error. */
function plainType(data: string): string {
  if (data === '[DONE]') return data
  return data.startsWith('{"error"') ? 'error' : 'message'
}

/** The text of a frame to be read by people; as it is when it is not JSON. */
export function prettyFrame(data: string): string {
  try {
    return JSON.stringify(JSON.parse(data), null, 2)
  } catch {
    return data
  }
}
