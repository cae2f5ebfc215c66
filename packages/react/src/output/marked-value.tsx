/** Shows the hidden characters of a field's text below it. Draws nothing without any. */
import { markedValue, partLabels } from '@toolwire/core/parts'
import type { Translate } from '@toolwire/core/view'

export function MarkedValue({ text, t }: { readonly text: string; readonly t: Translate }) {
  const marked = markedValue(text)
  if (marked === undefined) return null
  return (
    <p data-tw-part="field-marks">
      {partLabels(t).with_marks} <code>{marked}</code>
    </p>
  )
}
