/**
 * JSX of this package, and of pages that name it as their `jsxImportSource`: React's own, with hidden and
 * bidirectional characters in shown text as visible marks. No element draws text by any other way.
 */
import { markAttributes, markChildren } from '@toolwire/core/parts'
import type { ElementType, Key, ReactElement } from 'react'
import { Fragment, jsx as makeElement, jsxs as makeElements } from 'react/jsx-runtime'

export type { JSX } from 'react/jsx-runtime'
export { Fragment }

export const jsx = (type: ElementType, props: object, key?: Key): ReactElement =>
  makeElement(type, markProps(type, props), key)

export const jsxs = (type: ElementType, props: object, key?: Key): ReactElement =>
  makeElements(type, markProps(type, props), key)

/** Components get what they were given: what they draw of it is marked where it becomes an element. */
export function markProps(type: ElementType, props: object): object {
  if (typeof type !== 'string' && type !== Fragment) return props
  const marked = markAttributes(props)
  if (!('children' in marked)) return marked
  const children = markChildren(marked.children)
  return children === marked.children ? marked : { ...marked, children }
}
