/** Coloured terminal text. Named colours are left to the stylesheet, exact ones are set as they are. */
import { ansiNames, exactColours } from '@toolwire/core/parts'
import type { AnsiSpan } from '@toolwire/core/view'
import { defineComponent, type VNode } from 'vue'
import { h } from '../shared/h.ts'

/** For templates. */
export const AnsiText = defineComponent(
  (props: { readonly spans: readonly AnsiSpan[] }) => () => [...ansiText(props.spans)],
  { name: 'AnsiText', props: ['spans'] },
)

export const ansiText = (spans: readonly AnsiSpan[]): readonly VNode[] =>
  spans.map((span, index) => {
    const style = exactColours(span)
    return h('span', { key: index, 'data-ansi': ansiNames(span), ...(style ? { style } : {}) }, span.text)
  })
