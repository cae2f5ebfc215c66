/** Reads the log for many cursors: those that ask for the same page in the same moment share one read. */
import type { ReadHow, Rec, Seq, SessionLog } from '@toolwire/core'

export interface LogReader {
  /** As `SessionLog.read`; the records are shared, nobody may change them. */
  read(session: string, after: Seq, max: number, how?: ReadHow): Promise<readonly Rec[]>
  /** As `SessionLog.peek`; undefined where the log cannot. */
  peek(session: string, after: Seq, max: number): readonly Rec[] | undefined
}

export function createLogReader(log: SessionLog): LogReader {
  const asked = new Map<string, Promise<readonly Rec[]>>()
  return {
    peek: (session, after, max) => log.peek?.(session, after, max),
    read(session, after, max, how) {
      const key = `${after}:${max}:${how?.live === true}:${session}`
      const shared = asked.get(key)
      if (shared) return shared
      // A read that has begun is shared no longer: it may miss what was committed since.
      const read = new Promise<void>(resolve => process.nextTick(resolve)).then(() => {
        asked.delete(key)
        return log.read(session, after, max, how)
      })
      asked.set(key, read)
      return read
    },
  }
}
