/** A value as text: simple objects as a table of names and values, everything else as indented JSON. */
import { h, type VNode } from 'vue'
import { LongText } from './long-text.ts'

const MAX_ROWS = 12

export function jsonView(value: unknown): VNode {
  if (typeof value === 'string') return h(LongText, { text: value, name: 'value' })
  const rows = flatRows(value)
  if (!rows) return h(LongText, { text: JSON.stringify(value, null, 2) ?? '', name: 'value' })
  const cells = rows.map(([key, text]) => h('tr', { key }, [h('th', { scope: 'row' }, key), h('td', text)]))
  return h('table', { 'data-tw-part': 'fields' }, [h('tbody', cells)])
}

/** Names and values of an object whose values are short and simple; undefined for any other value. */
function flatRows(value: unknown): readonly (readonly [string, string])[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const entries = Object.entries(value)
  if (entries.length === 0 || entries.length > MAX_ROWS) return undefined
  if (entries.some(([, item]) => typeof item === 'object' && item !== null)) return undefined
  if (entries.some(([, item]) => typeof item === 'string' && item.length > 300)) return undefined
  return entries.map(([key, item]) => [key, typeof item === 'string' ? item : String(item)] as const)
}
