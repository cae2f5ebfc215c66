/** The raw argument text of a call as a value. Nothing is repaired: what does not parse is never executed. */

export type ParsedArguments =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly message: string }

const MAX_DEPTH = 100
const AROUND = 40

/** No text at all means no arguments. Text nested too deeply counts as unparsable. */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { ok: true, input: {} }
  if (isTooDeep(text)) return { ok: false, message: `they are nested more than ${MAX_DEPTH} levels deep` }
  try {
    return { ok: true, input: JSON.parse(text) }
  } catch (error) {
    return { ok: false, message: explain(text, error instanceof Error ? error.message : String(error)) }
  }
}

function explain(text: string, reason: string): string {
  const at = Number(/position (\d+)/.exec(reason)?.[1] ?? text.length)
  const around = text.slice(Math.max(0, at - AROUND), at + AROUND)
  return `${reason.replace(/ in JSON.*$/s, '')} at position ${at} of ${text.length}, near: ${around}`
}

function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    // Strings are passed over as a whole, so that brackets inside them do not count.
    if (sign === '"') at = endOfString(text, at + 1)
    else if (sign === '{' || sign === '[') depth++
    else if (sign === '}' || sign === ']') depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
}

/** The place of the quote that ends the string whose content begins at `start`; else the length of the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at
    // Ends at the opening quote at the latest.
    while (text[before - 1] === '\\') before--
    if ((at - before) % 2 === 0) return at
  }
  return text.length
}
