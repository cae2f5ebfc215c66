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
  // Strings are passed over as a whole, so that brackets inside them do not count.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[{}[\]]/gs)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
}
