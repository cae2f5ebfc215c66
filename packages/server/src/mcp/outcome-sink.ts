/** Receives the frames of a call: reports progress, keeps the latest pause or result. */
import type { FollowOptions } from '@toolwire/core'
import type { Sink } from '@toolwire/session'
import { type McpFrame, readMcpFrame } from '@toolwire/wire'

type EndFrame = Exclude<McpFrame, { readonly type: 'progress' }>

interface OutcomeSink extends Sink {
  readonly latest: () => EndFrame | undefined
}

/** Closed once the signal is aborted. `onIdle` is called when the log has nothing more yet. */
export function outcomeSink(
  signal: AbortSignal,
  { onProgress, onIdle }: Pick<FollowOptions, 'onProgress'> & { readonly onIdle?: () => void },
): OutcomeSink {
  let latest: EndFrame | undefined
  return {
    latest: () => latest,
    isClosed: () => signal.aborted,
    onClose(listener) {
      signal.addEventListener('abort', listener, { once: true })
      return () => signal.removeEventListener('abort', listener)
    },
    ...(onIdle ? { onIdle } : {}),
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
