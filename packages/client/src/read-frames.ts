/** One event stream: bytes in, batches of frames out, and a watchdog over the silence between them. */
import { yieldToBrowser } from '@toolwire/core/parts'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { ToolwireError } from './toolwire-error.ts'

/** One server-sent event. `data` is as it was sent. */
export interface Frame {
  readonly id?: string
  readonly event?: string
  readonly data: string
}

/** Bytes that are read in one go: chunks that are there already come without a pause between them. */
const GO = 131_072

/** Characters of one frame at most. A server takes bodies of 32 MiB, and an event may hold a body twice. */
const MAX_FRAME = 100_000_000

export interface ReadLimits {
  readonly silenceMs: number
  /** Characters of one frame; MAX_FRAME without it. */
  readonly maxFrame?: number | undefined
}

/**
 * The frames of each chunk, in order; a frame that the end of the stream cuts in two is left out.
 * Throws `network` after `silenceMs` without a byte (comments count) or when the stream breaks, and, after the frames
 * before it, `frame_too_large` for one that is not over within the limit: asked again, it would come again.
 * Leaving the loop early gives the stream up.
 */
export async function* readFrames(
  response: Response,
  { silenceMs, maxFrame = MAX_FRAME }: ReadLimits,
): AsyncGenerator<readonly Frame[]> {
  const reader = response.body?.getReader()
  if (!reader) return
  const decoder = new TextDecoder()
  let batch: Frame[] = []
  let taken = 0
  let isTooLarge = false
  const parser = createParser({
    maxBufferSize: maxFrame,
    onEvent: message => batch.push(toFrame(message)),
    onError: ({ type }) => {
      isTooLarge ||= type === 'max-buffer-size-exceeded'
    },
  })
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read(), silenceMs)
      if (done) return
      taken += value.length
      if (taken > GO) {
        taken = 0
        await yieldToBrowser()
      }
      parser.feed(decoder.decode(value, { stream: true }))
      const frames = batch
      batch = []
      if (frames.length > 0) yield frames
      // Includes the response status: no status would mean that there was no response.
      if (isTooLarge)
        throw new ToolwireError('frame_too_large', 'A frame is too long.', {
          status: response.status,
        })
    }
  } finally {
    // Not awaited: a connection that hangs may never confirm it.
    reader.cancel().catch(() => {})
  }
}

const toFrame = ({ id, event, data }: EventSourceMessage): Frame => ({
  data,
  ...(id === undefined ? {} : { id }),
  ...(event === undefined ? {} : { event }),
})

/** The result of `work`, or `network` when it takes longer than `ms`. */
export async function withinSilence<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new ToolwireError('network', `The server was silent for ${ms} ms.`, { retryable: true }))
    }, ms)
  })
  try {
    return await Promise.race([work, silence])
  } finally {
    clearTimeout(timer)
  }
}
