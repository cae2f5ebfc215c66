/** Arguments of a call as this wire carries them: a value, not a text. Pure. */
import { isDeepJson, readExact } from '@toolwire/core'

/** Arguments that are no JSON, or are nested too deeply to be written again, are not repaired: they are handed on as they came, under a name that says so. */
export const readInput = (text: string): unknown => readBy(JSON.parse, text)

/** The same for an answer that `writeJson` writes: digits and the order of keys stay as the model wrote them. */
export const readExactInput = (text: string): unknown => readBy(readExact, text)

function readBy(read: (text: string) => unknown, text: string): unknown {
  if (text.trim() === '') return {}
  if (isDeepJson(text)) return { _raw: text }
  try {
    return read(text)
  } catch {
    return { _raw: text }
  }
}
