/** The receiving end of `follow`. */
import type { Rec } from '@toolwire/core'
import type { Frame } from '@toolwire/wire'

/** Frames of one record that the reader has not seen. */
export interface FrameBatch {
  readonly rec: Rec
  readonly frames: readonly Frame[]
  /** Index of the first of them among all frames of the record. */
  readonly first: number
  /** A pause whose answers are already recorded: the target continues with the run that resumes it. */
  readonly isAnsweredPause: boolean
}

export interface Sink {
  isClosed(): boolean
  /** Calls `listener` when the reader leaves; returns a function that unsubscribes. */
  onClose(listener: () => void): () => void
  /** Buffers a batch. Returns true if it is to be flushed before the next one. */
  add(batch: FrameBatch): boolean
  /** Sends what is buffered. A promise asks to wait for the reader. `isEnd`: nothing follows. */
  flush(isEnd: boolean): Promise<void> | undefined
  /** Called before each wait for new records. */
  onIdle?(): void
  /** The session was deleted: ends a wait for the reader. */
  cut?(): void
  /** Records per page, if not the default. */
  readonly pageSize?: number
}
