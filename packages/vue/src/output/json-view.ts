/** A value as text: simple objects as a table of names and values, everything else as indented JSON. */
import { flatRows, jsonText } from '@toolwire/core/parts'
import { defineComponent, type VNode } from 'vue'
import type { FullView } from '../approval/use-asked.ts'
import { h } from '../shared/h.ts'
import { LongText } from './long-text.ts'

export interface JsonViewProps {
  readonly value: unknown
  /** Shows all of a long text in its place, in place of a pane. */
  readonly asked?: FullView | undefined
}

/** Needs a `SessionProvider` around it. */
export const JsonView = defineComponent((props: JsonViewProps) => () => jsonView(props.value, props.asked), {
  name: 'JsonView',
  props: ['value', 'asked'],
})

export function jsonView(value: unknown, asked?: FullView): VNode {
  if (typeof value === 'string') return h(LongText, { text: value, name: 'value', asked })
  const rows = flatRows(value)
  if (!rows) return h(LongText, { ...jsonText(value), name: 'value' })
  const cells = rows.map(([key, text]) => h('tr', { key }, [h('th', { scope: 'row' }, key), h('td', text)]))
  return h('table', { 'data-tw-part': 'fields' }, [h('tbody', cells)])
}
