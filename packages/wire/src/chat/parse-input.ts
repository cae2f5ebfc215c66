/** Arguments as the model wrote them, as JSON; undefined when they are not JSON. */
export function parseInput(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
