/**
 * Holds the page back in which the target ends, until `release`: what the reader's next request needs is stored
 * before the reader sees the end. It holds the page, so that a run that fails at once has sent nothing yet.
 */
import type { FrameBatch, Sink } from './sink.ts'

export interface HoldLast extends Sink {
  /** Nothing was held. */
  isEmpty(): boolean
  /** Sends the frames that were held. */
  release(): Promise<void> | undefined
}

const PAGE = 256

export function holdLast(sink: Sink): HoldLast {
  let page: FrameBatch[] = []
  function send(isEnd: boolean): Promise<void> | undefined {
    for (const batch of page) sink.add(batch)
    page = []
    return sink.flush(isEnd)
  }
  return {
    ...sink,
    pageSize: PAGE,
    add(batch) {
      // The reader would take it for the end.
      if (!batch.isAnsweredPause) page.push(batch)
      return false
    },
    flush: isEnd => (isEnd || page.length === 0 ? undefined : send(false)),
    isEmpty: () => page.length === 0,
    release: () => send(true),
  }
}
