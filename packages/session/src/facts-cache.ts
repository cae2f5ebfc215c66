/** Facts of recently used sessions; each fold continues where the last one stopped. */
import {
  advance,
  type Facts,
  type FactsAt,
  NO_FACTS,
  RecentMap,
  readPages,
  type Seq,
  type StateSource,
} from '@toolwire/core'
import type { LogReader } from './log-reader.ts'

export interface FactsCache {
  /** The facts of everything that was committed before the call. */
  get(session: string): Promise<FactsAt>
  /** Returns what `select` finds in these facts or, if they dropped ended items, in those of an earlier position. */
  find<T>(session: string, select: (facts: Facts) => T | undefined): Promise<T | undefined>
  /** Drops one session, or all of them. */
  forget(session?: string): void
}

const MAX_ENTRIES = 1024
const PEEK = 1000

interface CachedFacts {
  facts: Facts
  seq: Seq
  /** The latest fold; they run one after the other. */
  fold: Promise<unknown>
}

export function createFactsCache(reader: LogReader, states?: Pick<StateSource, 'facts'>): FactsCache {
  const entries = new RecentMap<string, CachedFacts>(MAX_ENTRIES)

  async function foldFrom(
    session: string,
    from: { facts: Facts; seq: Seq },
    visit: (facts: Facts) => void = () => {},
  ): Promise<FactsAt> {
    const cached = reader.peek(session, from.seq, PEEK)
    const pages = cached && cached.length < PEEK ? [cached] : readPages(reader, session, { after: from.seq })
    for await (const records of pages)
      for (const rec of records) {
        if (rec.seq !== from.seq + 1) continue
        from.facts = advance(from.facts, rec)
        from.seq = rec.seq
        visit(from.facts)
      }
    return { facts: from.facts, seq: from.seq }
  }

  /** An entry without facts starts at the checkpoint of the session. */
  async function catchUp(session: string, entry: CachedFacts): Promise<FactsAt> {
    if (entry.seq === 0 && states) Object.assign(entry, await states.facts(session))
    return await foldFrom(session, entry)
  }

  async function get(session: string): Promise<FactsAt> {
    const entry = entries.get(session) ?? { facts: NO_FACTS, seq: 0, fold: Promise.resolve() }
    // Set again, so that the entry that was used longest ago is dropped first.
    entries.set(session, entry)
    // One fold at a time; a failed one leaves the facts where they were.
    const fold = entry.fold.catch(() => {}).then(() => catchUp(session, entry))
    entry.fold = fold
    return await fold
  }

  async function find<T>(session: string, select: (facts: Facts) => T | undefined): Promise<T | undefined> {
    const { facts } = await get(session)
    let found = select(facts)
    if (found !== undefined || !facts.ended.isTruncated) return found
    await foldFrom(session, { facts: NO_FACTS, seq: 0 }, seen => {
      found = select(seen) ?? found
    })
    return found
  }

  return {
    get,
    find,
    forget(session) {
      if (session === undefined) entries.clear()
      else entries.delete(session)
    },
  }
}
