/**
 * Finds the position where a stream continues: frames up to and including the cursor are skipped, the rest follows
 * exactly.
 */
import { type Cursor, encodeCursor, type Rec } from '@toolwire/core'

import type { Frame } from './wire.ts'

export interface SentFrame extends Frame {
  readonly id: string
}

/**
 * The frames of one record that a reader at `cursor` has not seen. Every record is
 * stepped, also those before the cursor: a projection's state comes from all of them.
 */
export function framesAfter(
  sessionId: string,
  rec: Rec,
  frames: readonly Frame[],
  cursor: Cursor,
): readonly SentFrame[] {
  if (rec.seq < cursor.seq) return []
  const out: SentFrame[] = []
  frames.forEach((frame, k) => {
    if (rec.seq > cursor.seq || k > cursor.k) out.push({ ...frame, id: encodeCursor(sessionId, rec.seq, k) })
  })
  return out
}

/** SSE bytes of a frame: LF only, one `data: ` line, `id:` always. */
export const encodeSse = (frame: SentFrame): string =>
  `${eventLine(frame)}id: ${frame.id}\ndata: ${frame.data}\n\n`

/** The same without `id:`: the official Python clients parse every frame that follows one, comments included, as JSON. */
export const encodeVendorSse = (frame: Frame): string => `${eventLine(frame)}data: ${frame.data}\n\n`

const eventLine = ({ event }: Frame): string => (event === undefined ? '' : `event: ${event}\n`)

/** A comment: every real client ignores it, every proxy treats it as traffic. */
export const HEARTBEAT = ': hb\n\n'
