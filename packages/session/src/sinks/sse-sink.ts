/** Sends frames as server-sent events, in chunks. */
import { encodeCursor } from '@toolwire/core'
import { encodeSse, encodeVendorSse } from '@toolwire/wire'
import type { FrameBatch, Sink } from './sink.ts'

/** An event stream to one reader. */
export interface TextStream {
  readonly closed: boolean
  /** Returns a function that unsubscribes. */
  onClose(listener: () => void): () => void
  /** Sends the headers. Idempotent. */
  start(): void
  /** Sends whole frames. A promise asks to wait until there is room for more. */
  write(text: string): Promise<void> | undefined
  /** Aborts the connection. */
  destroy(): void
}

/** Characters after which a chunk is sent; one frame may be longer. */
const CHUNK = 16_384

/** Frames with ids: `name` is the session as cursors name it, with its lineage. */
export const sseSink = (stream: TextStream, name: string, chunk: number = CHUNK): Sink =>
  createSseSink(stream, batch => encodeWithIds(batch, name), chunk)

/** Frames without ids, for clients of vendors; headers wait for the first frame. */
export function vendorSseSink(stream: TextStream): Sink {
  const {
    onIdle: _,
    cut: __,
    ...sink
  } = createSseSink(stream, ({ frames }) => frames.map(encodeVendorSse).join(''), Number.POSITIVE_INFINITY)
  return sink
}

function createSseSink(stream: TextStream, encode: (batch: FrameBatch) => string, chunk: number): Sink {
  let text = ''
  return {
    isClosed: () => stream.closed,
    onClose: listener => stream.onClose(listener),
    add(batch) {
      text += encode(batch)
      return text.length >= chunk
    },
    flush() {
      if (text === '') return undefined
      const sent = text
      text = ''
      return stream.write(sent)
    },
    onIdle: () => stream.start(),
    cut: () => stream.destroy(),
  }
}

function encodeWithIds({ rec, frames, first }: FrameBatch, name: string): string {
  let text = ''
  for (const [i, frame] of frames.entries())
    text += encodeSse({ ...frame, id: encodeCursor(name, rec.seq, first + i) })
  return text
}
