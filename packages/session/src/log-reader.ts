/** Reads the log for many followers: those that need the same page at the same moment share one read. */
import type { LogReadOptions, Rec, Seq, SessionLog } from '@toolwire/core'

export interface LogReader {
  /** As `SessionLog.read`. The records are shared: do not change them. */
  read(session: string, after: Seq, max: number, how?: LogReadOptions): Promise<readonly Rec[]>
  /** As `SessionLog.peek`; undefined where the log has no cache. */
  peek(session: string, after: Seq, max: number): readonly Rec[] | undefined
}

export function createLogReader(log: SessionLog): LogReader {
  const waiting = new Map<string, Promise<readonly Rec[]>>()
  return {
    peek: (session, after, max) => log.peek?.(session, after, max),
    read(session, after, max, how) {
      const key = `${after}:${max}:${how?.live === true}:${session}`
      const shared = waiting.get(key)
      if (shared) return shared
      // A read is shared until it begins: after that it may miss what was committed since.
      const read = new Promise<void>(resolve => process.nextTick(resolve)).then(() => {
        waiting.delete(key)
        return log.read(session, after, max, how)
      })
      waiting.set(key, read)
      return read
    },
  }
}
