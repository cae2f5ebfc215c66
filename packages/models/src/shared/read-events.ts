/** Bytes of a response in, server-sent events out. Frames are capped, so a mad server cannot fill memory. */
import { createParser } from 'eventsource-parser'
import type { Chunks } from './answer.ts'

export interface SseEvent {
  readonly event?: string | undefined
  readonly data: string
}

/** Nothing a provider sends honestly comes near this. */
const MAX_FRAME = 10_000_000

/** A frame grew beyond the cap; the rest of the stream is not read. */
export class FrameTooLargeError extends Error {
  override readonly name = 'FrameTooLargeError'
}

export interface ReadPhases {
  /** Called around every wait, so that a slow consumer does not count as a silent provider. */
  readonly waiting: () => void
  readonly received: () => void
  /** Whether all that matters has been read; decides what becomes of the connection when the reader is left. */
  readonly isOver: () => boolean
}

/** A provider ends its answer right after the last event; one that does not is not waited for. */
const TAIL_MS = 1000

/**
 * Yields the events that became complete with each chunk. An unfinished last frame is dropped: its
 * protocol knows that something is missing. Throws what the stream throws. Left early, it breaks the
 * connection off; left when all is over, it keeps the connection for the next request.
 */
export async function* readEvents(
  chunks: Chunks,
  phases: ReadPhases,
  maxFrame = MAX_FRAME,
): AsyncGenerator<readonly SseEvent[], void, void> {
  let ready: SseEvent[] = []
  let tooLarge: Error | undefined
  const parser = createParser({
    maxBufferSize: maxFrame,
    onEvent: event => ready.push(event),
    onError: error => {
      if (error.type === 'max-buffer-size-exceeded') tooLarge = error
    },
  })
  const decoder = new TextDecoder()
  try {
    for (;;) {
      phases.waiting()
      const chunk = await chunks.next()
      phases.received()
      if (!chunk) return
      parser.feed(decoder.decode(chunk, { stream: true }))
      if (ready.length > 0) {
        const events = ready
        ready = []
        yield events
      }
      if (tooLarge) throw new FrameTooLargeError(`A frame is larger than ${maxFrame} characters.`)
    }
  } finally {
    if (phases.isOver()) void readTail(chunks)
    else chunks.cancel()
  }
}

async function readTail(chunks: Chunks): Promise<void> {
  const timer = setTimeout(chunks.cancel, TAIL_MS)
  timer.unref()
  try {
    while (await chunks.next());
  } catch {
    // Broken after the end: nothing is lost.
  } finally {
    clearTimeout(timer)
  }
}
