/** Marks what an element shows, for the one function of each framework that makes elements. */
import { markControls } from './mark-controls.ts'

/** Attributes that people see or hear. What is typed or sent (`value`, `href`) stays as it is. */
const SHOWN = ['title', 'alt', 'placeholder', 'label', 'aria-label', 'aria-description', 'aria-valuetext']

/** The same object when there is nothing to mark. */
export function markAttributes<Props extends object>(props: Props): Props {
  let marked: Props | undefined
  for (const name of SHOWN) {
    const value = (props as Readonly<Record<string, unknown>>)[name]
    const shown = typeof value === 'string' ? markControls(value) : value
    if (shown !== value) marked = { ...(marked ?? props), [name]: shown }
  }
  return marked ?? props
}

/** Texts, also in lists of lists; elements are left alone. The same value when there is nothing to mark. */
export function markChildren<Children>(children: Children): Children {
  if (typeof children === 'string') return markControls(children) as Children
  if (!Array.isArray(children)) return children
  const marked = children.map(markChildren)
  return marked.some((child, i) => child !== children[i]) ? (marked as Children) : children
}
