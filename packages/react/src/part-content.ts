/** What stands inside of a part: its own content, or whatever a page puts there. */
import type { ReactNode } from 'react'

/** A function gets what the part is about. */
export type PartContent<T> = ReactNode | ((about: T) => ReactNode)

/** The given content, or the part's own when there is none. */
export function contentOf<T>(given: PartContent<T>, about: T, own: () => ReactNode): ReactNode {
  if (given === undefined) return own()
  return typeof given === 'function' ? given(about) : given
}
