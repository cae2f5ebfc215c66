/** The target of a follower and its start. */
import type { Cursor, Follow, Rec, Seq } from '@toolwire/core'
import type { Wire } from '@toolwire/wire'

export interface FollowPlan {
  readonly session: string
  readonly wire: Wire
  /** The records whose frames are wanted. */
  readonly target: Follow
  /** The reader has the frames up to here. */
  readonly cursor: Cursor
  /** Records up to here have no frame of the target; absent if that is not known. */
  readonly after?: Seq
  /** Stays after the target is complete, for what comes next. */
  readonly isOpenEnded?: boolean
  /** A reader that has seen the pause waits for the run that resumes it. */
  readonly awaitsResume?: boolean
  /** Records that are skipped as if the log did not hold them. */
  readonly omits?: (rec: Rec) => boolean
  /** Sees each shown record before its page is flushed; may end the response there. */
  readonly watcher?: (rec: Rec, isLast: boolean) => 'stop' | undefined
  readonly until?: AbortSignal
  /** Updated while following, for metrics. */
  readonly progress?: { head: Seq; position: Seq }
}
