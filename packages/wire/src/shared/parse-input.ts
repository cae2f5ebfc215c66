import { isDeepJson } from '@toolwire/core'

/** Arguments as the model wrote them, as JSON; undefined when they are not JSON, or nested too deeply to be written again. */
export function parseInput(text: string): unknown {
  if (isDeepJson(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
