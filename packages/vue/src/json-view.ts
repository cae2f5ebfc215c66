/** A value as text: simple objects as a table of names and values, everything else as indented JSON. */
import { flatRows, jsonText } from '@toolwire/core/parts'
import { defineComponent, h, type VNode } from 'vue'
import { LongText } from './long-text.ts'

/** Needs a `SessionProvider` around it. */
export const JsonView = defineComponent((props: { readonly value: unknown }) => () => jsonView(props.value), {
  name: 'JsonView',
  props: ['value'],
})

export function jsonView(value: unknown): VNode {
  if (typeof value === 'string') return h(LongText, { text: value, name: 'value' })
  const rows = flatRows(value)
  if (!rows) return h(LongText, { ...jsonText(value), name: 'value' })
  const cells = rows.map(([key, text]) => h('tr', { key }, [h('th', { scope: 'row' }, key), h('td', text)]))
  return h('table', { 'data-tw-part': 'fields' }, [h('tbody', cells)])
}
