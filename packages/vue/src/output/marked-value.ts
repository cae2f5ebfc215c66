/** Shows the hidden characters of a field's text below it. Draws nothing without any. */
import { markedValue as markedText, partLabels } from '@toolwire/core/parts'
import type { Translate } from '@toolwire/core/view'
import type { VNode } from 'vue'
import { h } from '../shared/h.ts'

export function markedValue(text: string, t: Translate): VNode | null {
  const marked = markedText(text)
  if (marked === undefined) return null
  return h('p', { 'data-tw-part': 'field-marks' }, [`${partLabels(t).with_marks} `, h('code', marked)])
}
