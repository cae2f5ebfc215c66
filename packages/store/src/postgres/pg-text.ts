/**
 * Text as PostgreSQL can hold it: it has no NUL and no half surrogate pairs. Events never come
 * here (their JSON escapes both); ids, keys, titles and labels do.
 */
export function toPgText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD')
}

/** As toPgText, for what may be absent. */
export const toPgTextOrNull = (text: string | undefined): string | null =>
  text === undefined ? null : toPgText(text)
