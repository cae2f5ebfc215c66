/**
 * The one way in which this package makes elements: Vue's `h`, with hidden and bidirectional characters in shown
 * text as visible marks. Components get what they were given: what they draw of it comes through here.
 */
import { markAttributes, markChildren } from '@toolwire/core/parts'
import { h as makeElement } from 'vue'

export const h = ((type: unknown, ...rest: readonly unknown[]) => {
  if (typeof type !== 'string') return make(type, ...rest)
  const [first, ...children] = rest
  if (isProps(first)) return make(type, markAttributes(first), ...children.map(markChildren))
  return make(type, ...rest.map(markChildren))
}) as typeof makeElement

const make = makeElement as (...args: readonly unknown[]) => unknown

const isProps = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('__v_isVNode' in value)
