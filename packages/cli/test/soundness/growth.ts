/**
 * Whether what a server holds grows with what it has done. Pure. A leak is so much per session for ever, so it is looked
 * for as a slope, and not as a difference: how far a run got must not decide.
 */
export interface Look {
  /** Sessions that were over at that moment. */
  readonly sessions: number
  readonly megabytes: number
}

/**
 * Megabytes per 1,000 sessions that count as level: some 260 bytes per session, no more than an entry or two of a map
 * under a session's id. A leak of whole objects is above it, the noise of looks over some thousand sessions is below.
 */
const LEVEL = 0.25
/** Fewer looks than these, or fewer sessions between the first of them and the last, say nothing. */
const SETTLED = { looks: 30, sessions: 1000 }

export interface Growth {
  /** Megabytes per 1,000 sessions over the second half of the samples; undefined if they are too few. */
  readonly slope: number | undefined
  /** The median of each third of all looks; empty when there are fewer than three. */
  readonly thirds: readonly number[]
}

/**
 * The first half is for warm-up. The slope is the median of those between any two samples (Theil and Sen): a
 * sample with many active sessions weighs no more than another.
 */
export function growthOf(looks: readonly Look[]): Growth {
  const half = looks.slice(Math.floor(looks.length / 2))
  const span = (half.at(-1)?.sessions ?? 0) - (half[0]?.sessions ?? 0)
  const isTold = half.length >= SETTLED.looks && span >= SETTLED.sessions
  return { slope: isTold ? rounded(slopeOf(half), 100) : undefined, thirds: thirdsOf(looks) }
}

/** A sentence if `name` grows; none if it does not or the samples are too few. */
export function growthProblems(name: string, looks: readonly Look[]): readonly string[] {
  const { slope, thirds } = growthOf(looks)
  if (slope === undefined || slope <= LEVEL) return []
  return [`${name} grows by ${slope} MB per 1,000 sessions (by thirds: ${thirds.join(' · ')} MB)`]
}

function slopeOf(looks: readonly Look[]): number {
  const slopes = looks.flatMap((from, i) =>
    looks
      .slice(i + 1)
      .filter(to => to.sessions > from.sessions)
      .map(to => ((to.megabytes - from.megabytes) / (to.sessions - from.sessions)) * 1000),
  )
  return medianOf(slopes)
}

function thirdsOf(looks: readonly Look[]): readonly number[] {
  const third = Math.floor(looks.length / 3)
  if (third === 0) return []
  return [0, 1, 2].map(i =>
    rounded(medianOf(looks.slice(i * third, (i + 1) * third).map(look => look.megabytes)), 10),
  )
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

const rounded = (value: number, parts: number): number => Math.round(value * parts) / parts
