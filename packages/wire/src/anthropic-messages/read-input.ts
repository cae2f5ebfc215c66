/** Arguments of a call as this wire carries them: a value, not a text. Pure. */

/** Arguments that are no JSON are not repaired: they are handed on as they came, under a name that says so. */
export function readInput(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    return { _raw: text }
  }
}
