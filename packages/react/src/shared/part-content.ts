/** The content of a part: its own, or the page's. */
import type { ReactNode } from 'react'

/** A function gets what the part is about. */
export type PartContent<T> = ReactNode | ((about: T) => ReactNode)

/** The page's content, or the part's own without one. */
export function contentOf<T>(given: PartContent<T>, about: T, own: () => ReactNode): ReactNode {
  if (given === undefined) return own()
  return typeof given === 'function' ? given(about) : given
}
