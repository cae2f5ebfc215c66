/**
 * A search in one text, a slice at a time, so that a page answers keys while a megabyte is looked through. A store:
 * frameworks subscribe and draw. Only the newest search counts.
 */

import { yieldToBrowser } from '../page/yield-to-browser.ts'
import type { PanePiece, PieceMarks } from './pane-text.ts'

/** Characters that are looked through without a pause. */
const SLICE = 64_000
/** Matches before and behind the current one that are marked: a page cannot draw hundreds of thousands. */
const MARKED = 400

export interface SearchState {
  readonly wanted: string
  /** Offsets of the matches, in order, without overlaps. Grows while `searching`: `count` of them are known. */
  readonly matches: readonly number[]
  readonly count: number
  /** Index of the current match; -1 without one. */
  readonly at: number
  readonly searching: boolean
}

const NOTHING: SearchState = { wanted: '', matches: [], count: 0, at: -1, searching: false }

export class TextSearch {
  readonly #text: string
  readonly #listeners = new Set<() => void>()
  #state = NOTHING

  constructor(text: string) {
    this.#text = text
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly getSnapshot = (): SearchState => this.#state

  /** Finds a text whatever its case, the first match being the current one. Resolves when all is looked through, or another search has begun. */
  async look(wanted: string): Promise<void> {
    const matches: number[] = []
    this.#publish({ ...NOTHING, wanted, matches, searching: wanted !== '' })
    if (wanted === '') return
    const pattern = new RegExp(wanted.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), 'giu')
    for (let from = 0; from < this.#text.length; ) {
      const to = from + SLICE
      // A match that begins in this slice may end in the next.
      const slice = this.#text.slice(from, to + wanted.length - 1)
      for (const { index } of slice.matchAll(pattern)) if (index < SLICE) matches.push(from + index)
      from = Math.max(to, (matches.at(-1) ?? -wanted.length) + wanted.length)
      const { at } = this.#state
      const searching = from < this.#text.length
      this.#publish({
        wanted,
        matches,
        count: matches.length,
        at: at < 0 && matches.length > 0 ? 0 : at,
        searching,
      })
      if (searching) await yieldToBrowser()
      if (this.#state.matches !== matches) return
    }
  }

  /** To the next match (1) or the one before (-1), around the ends. */
  go(step: 1 | -1): void {
    const { at, count } = this.#state
    if (count > 0) this.#publish({ ...this.#state, at: (at + step + count) % count })
  }

  #publish(state: SearchState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

/** `2/17`; empty before a search. */
export const foundWords = ({ wanted, at, count }: SearchState): string =>
  wanted === '' ? '' : `${at + 1}/${count}`

/** Matches to highlight, by piece index: those around the current one. */
export function marksByPiece(
  pieces: readonly PanePiece[],
  { matches, count, at, wanted }: SearchState,
): ReadonlyMap<number, PieceMarks> {
  const found = new Map<number, { starts: number[]; size: number; current: number }>()
  const current = matches[at] ?? -1
  const last = Math.min(count, at + MARKED + 1)
  let index = 0
  for (let n = Math.max(0, at - MARKED); n < last; n++) {
    const start = matches[n] ?? 0
    while (index < pieces.length - 1 && (pieces[index]?.to ?? 0) <= start) index += 1
    // A match in a wide line may continue in the next piece.
    for (let i = index; i < pieces.length && (pieces[i]?.from ?? 0) < start + wanted.length; i++) {
      const marks = found.get(i) ?? { starts: [], size: wanted.length, current }
      marks.starts.push(start)
      found.set(i, marks)
    }
  }
  return found
}
