/** Receives the frames of a call: reports progress, keeps the latest pause or result. */
import type { FollowOptions } from '@toolwire/core'
import type { Sink } from '@toolwire/session'
import { type McpFrame, readMcpFrame } from '@toolwire/wire'

type EndFrame = Exclude<McpFrame, { readonly type: 'progress' }>

interface OutcomeSink extends Sink {
  readonly latest: () => EndFrame | undefined
}

/** Closed once the signal is aborted. */
export function outcomeSink(signal: AbortSignal, onProgress: FollowOptions['onProgress']): OutcomeSink {
  let latest: EndFrame | undefined
  return {
    latest: () => latest,
    isClosed: () => signal.aborted,
    onClose(listener) {
      signal.addEventListener('abort', listener, { once: true })
      return () => signal.removeEventListener('abort', listener)
    },
    add({ frames }) {
      for (const frame of frames.map(readMcpFrame)) {
        if (frame.type !== 'progress') latest = frame
        else onProgress?.(frame)
      }
      return false
    },
    flush: () => undefined,
  }
}
