/** Summaries of the sessions asked for lately; each continues where its last fold stopped. */
import type { LogReader } from './log-reader.ts'
import { SessionSummary } from './session-summary.ts'

export interface SummaryCache {
  /** The summary of everything committed now. Shared: read it, do not keep it. */
  get(session: string): Promise<SessionSummary>
  forget(session: string): void
  /** Forgets all of them: the log is another one. */
  clear(): void
}

const KEEP = 256
const PAGE = 1000

interface Entry {
  readonly summary: SessionSummary
  turn: Promise<unknown>
}

export function createSummaryCache(reader: LogReader): SummaryCache {
  const entries = new Map<string, Entry>()

  async function catchUp(session: string, summary: SessionSummary): Promise<SessionSummary> {
    for (;;) {
      const records = await reader.read(session, summary.head, PAGE)
      for (const rec of records) if (rec.seq === summary.head + 1) summary.apply(rec)
      if (records.length < PAGE) return summary
    }
  }

  return {
    get(session) {
      const entry = entries.get(session) ?? { summary: new SessionSummary(), turn: Promise.resolve() }
      // Re-inserted, so that the first key is the one not used for longest.
      entries.delete(session)
      entries.set(session, entry)
      const oldest = entries.keys().next().value
      if (entries.size > KEEP && oldest !== undefined) entries.delete(oldest)
      // One fold at a time; a failed one leaves the summary where it was.
      const turn = entry.turn.then(
        () => catchUp(session, entry.summary),
        () => catchUp(session, entry.summary),
      )
      entry.turn = turn
      return turn
    },
    forget(session) {
      entries.delete(session)
    },
    clear: () => entries.clear(),
  }
}
