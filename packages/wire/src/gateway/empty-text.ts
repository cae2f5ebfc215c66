/** Texts of nothing but white space: they say nothing, and providers refuse them. */
import type { ContentPart } from '@toolwire/core'
import type { Warnings } from './warning.ts'

/** The other parts; omitted ones are reported as a warning, never rejected. */
export function withoutEmpty<Part extends ContentPart>(
  content: readonly Part[],
  place: string,
  warnings: Warnings,
): readonly Part[] {
  const kept = content.filter(part => part.type !== 'text' || part.text.trim() !== '')
  if (kept.length < content.length)
    warnings.note('empty_text_dropped', `${place}: a text without any word in it is left out.`)
  return kept
}
