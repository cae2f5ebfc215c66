/** A field holds what will be sent; what a browser hides of it is shown below. */
import { shortText } from './display-lines.ts'
import { markControls } from './mark-controls.ts'

/** The text with its hidden characters as marks; undefined when it has none. */
export function markedValue(text: string): string | undefined {
  const marked = markControls(text)
  return marked === text ? undefined : shortText(marked)
}
