/** Bytes of a response in, server-sent events out. Frames are capped, so a mad server cannot fill memory. */
import { createParser } from 'eventsource-parser'

export interface SseEvent {
  readonly event?: string | undefined
  readonly data: string
}

/** Nothing a provider sends honestly comes near this. */
const MAX_FRAME = 10_000_000

/** A frame grew beyond the cap; nothing after it can be read. */
export class FrameTooLargeError extends Error {
  override readonly name = 'FrameTooLargeError'
}

const NONE: readonly SseEvent[] = []

/**
 * Returns, for each chunk, the events that became complete with it. A frame that never ends is never
 * returned: its protocol knows that something is missing. Throws FrameTooLargeError, after the events
 * before such a frame were returned.
 */
export function createEventParser(maxFrame = MAX_FRAME): (chunk: Uint8Array) => readonly SseEvent[] {
  let ready: SseEvent[] = []
  let isTooLarge = false
  const parser = createParser({
    maxBufferSize: maxFrame,
    onEvent: event => ready.push(event),
    onError: error => {
      if (error.type === 'max-buffer-size-exceeded') isTooLarge = true
    },
  })
  const decoder = new TextDecoder()
  const refuse = (): never => {
    throw new FrameTooLargeError(`A frame is larger than ${maxFrame} characters.`)
  }
  return chunk => {
    if (isTooLarge) refuse()
    parser.feed(decoder.decode(chunk, { stream: true }))
    if (ready.length === 0) return isTooLarge ? refuse() : NONE
    const events = ready
    ready = []
    return events
  }
}
