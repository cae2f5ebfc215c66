/** Frames of a provider's stream before they become bytes. */
import type { ModelPart } from '@toolwire/core'

export interface Frame {
  /** Absent on wires without event names. */
  readonly event?: string
  readonly data: string
  /** A comment instead of an event; keeps a connection awake. */
  readonly comment?: boolean
}

/** A provider's wire, the other way round: parts in, frames out. Pure. */
export interface FrameEncoder<S> {
  readonly initial: S
  readonly step: (state: S, part: ModelPart) => readonly [S, readonly Frame[]]
}

export interface EncodeContext {
  readonly model: string
  readonly created: number
  readonly includeUsage: boolean
  /** Tools whose calls are plain text. */
  readonly freeform: ReadonlySet<string>
}

export function toText(frame: Frame, newline: string): string {
  if (frame.comment) return `: ${frame.data}${newline}${newline}`
  const name = frame.event === undefined ? '' : `event: ${frame.event}${newline}`
  return `${name}data: ${frame.data}${newline}${newline}`
}
