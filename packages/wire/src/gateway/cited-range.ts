/** The characters of a text that a source is for. Pure. */
import type { Citation } from './answer-part.ts'

/** The whole text where the provider gave no range, or one that does not fit. */
export function citedRange(
  { start_index: start, end_index: end }: Citation,
  length: number,
): { readonly start_index: number; readonly end_index: number } {
  const isRange =
    Number.isInteger(start) &&
    Number.isInteger(end) &&
    Number(start) >= 0 &&
    Number(start) <= Number(end) &&
    Number(end) <= length
  return isRange
    ? { start_index: Number(start), end_index: Number(end) }
    : { start_index: 0, end_index: length }
}
