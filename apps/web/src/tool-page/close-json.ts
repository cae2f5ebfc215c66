/** Arguments that are still being written, as far as they can be read: what is open is closed, what is half is left out. */
import { type Fields, isFields } from './page-message.ts'

/** Undefined while there is no object. A text that is cut counts as far as it goes. Never throws. */
export function closeJson(text: string): Fields | undefined {
  const whole = parsed(text)
  if (whole) return whole
  const { ends, quoted, at } = scan(text)
  if (quoted) {
    const cut = text.replace(/\\(?:u[0-9a-f]{0,3})?$/i, '')
    const found = parsed(`${cut}"${ends}`)
    if (found) return found
  }
  // At its last comma or bracket everything before it was whole.
  return at === undefined ? undefined : parsed(text.slice(0, at.length) + at.ends)
}

/** Above this, arguments are sent when they are complete. */
const MAX = 200_000

function parsed(text: string): Fields | undefined {
  if (text.length > MAX) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

interface JsonScan {
  /** The characters that close everything open. */
  readonly ends: string
  readonly quoted: boolean
  /** The last place at which nothing was half: its length, and what would close it there. */
  readonly at: { readonly length: number; readonly ends: string } | undefined
}

function scan(text: string): JsonScan {
  const open: string[] = []
  let at: JsonScan['at']
  let quoted = false
  const ends = () => open.toReversed().join('')
  for (let i = 0; i < text.length && i <= MAX; i++) {
    const letter = text[i] ?? ''
    if (letter === '"') quoted = !quoted
    else if (quoted) i += letter === '\\' ? 1 : 0
    else if (letter === ',') at = { length: i, ends: ends() }
    else if (step(open, letter)) at = { length: i + 1, ends: ends() }
  }
  return { ends: ends(), quoted, at }
}

/** True if the character opens or closes something. */
function step(open: string[], letter: string): boolean {
  if (letter === '{') open.push('}')
  else if (letter === '[') open.push(']')
  else if (letter === '}' || letter === ']') open.pop()
  else return false
  return true
}
