/** Reads of one session that touch each other become one: a row that many ask for at once is fetched once. Pure. */
import type { Seq } from '@toolwire/core'

export interface Range {
  readonly session: string
  /** Records behind this one … */
  readonly after: Seq
  /** … up to and with this one. */
  readonly upTo: Seq
}

export interface JoinedRange<R extends Range> extends Range {
  /** The joined ranges, unordered. */
  readonly parts: readonly R[]
}

/** Every range is part of exactly one of the joined ones, which do not overlap. */
export function joinReads<R extends Range>(ranges: readonly R[]): readonly JoinedRange<R>[] {
  const bySession = Map.groupBy(ranges, range => range.session)
  return [...bySession.values()].flatMap(joinOne)
}

function joinOne<R extends Range>(ranges: readonly R[]): readonly JoinedRange<R>[] {
  const joined: { session: string; after: Seq; upTo: Seq; parts: R[] }[] = []
  for (const range of ranges.toSorted((a, b) => a.after - b.after)) {
    const last = joined.at(-1)
    if (last && range.after <= last.upTo) {
      last.upTo = Math.max(last.upTo, range.upTo)
      last.parts.push(range)
    } else joined.push({ ...range, parts: [range] })
  }
  return joined
}
