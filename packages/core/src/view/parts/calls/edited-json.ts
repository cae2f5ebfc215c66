/** Arguments that a person edits as text. */

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Indented; a text that is no JSON stays as it is. */
export const prettyJson = (text: string): string =>
  isJson(text) ? JSON.stringify(JSON.parse(text), null, 2) : text
