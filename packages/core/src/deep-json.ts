/** Texts of JSON that no value should be made of: writing the value again would exceed the stack. */
import { endOfString } from './exact-json.ts'

const MAX_NESTING = 512

export function isDeepJson(text: string): boolean {
  // Most texts are shorter than any of that depth.
  if (text.length <= MAX_NESTING) return false
  let depth = 0
  for (let at = 0; at < text.length && depth <= MAX_NESTING; at++) {
    const char = text.charAt(at)
    if (char === '"') at = endOfString(text, at)
    else if (char === '[' || char === '{') depth += 1
    else if (char === ']' || char === '}') depth -= 1
  }
  return depth > MAX_NESTING
}
