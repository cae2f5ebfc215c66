/** The keys that the parts heed, and the one that asks for their list. */

import type { PartWords } from '../calls/part-labels.ts'
import { isComposing } from './is-composing.ts'

export interface Shortcut {
  /** Keys that are pressed together, with spaces between them. */
  readonly keys: string
  readonly words: string
}

/** Shortcuts of the parts; a page adds its own. */
export const partShortcuts = (words: PartWords): readonly Shortcut[] => [
  { keys: 'Enter', words: words.key_send },
  { keys: 'Shift Enter', words: words.key_line },
  { keys: 'Esc', words: words.key_back },
  { keys: 'Ctrl Enter', words: words.key_long },
  { keys: 'Enter / Shift Enter', words: words.key_match },
  { keys: '?', words: words.key_help },
]

/** `?`, while no text field has the focus and no dialog is open. */
export function asksForKeys(event: KeyboardEvent): boolean {
  if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey) return false
  if (isComposing(event) || event.defaultPrevented) return false
  const { target } = event
  return !(target instanceof Element && target.closest('input, textarea, select, [contenteditable], dialog'))
}
