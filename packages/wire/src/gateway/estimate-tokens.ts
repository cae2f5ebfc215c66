/** Estimates tokens at four characters each. Pure. */

const CHARACTERS_PER_TOKEN = 4
const IMAGE_TOKENS = 1600

/** Media are counted by their number, not by their size. */
export function estimateValue(value: unknown): number {
  let images = 0
  const text = JSON.stringify(value, (key, inner: unknown) => {
    if (key !== 'source') return inner
    images += 1
    return undefined
  })
  return Math.max(1, Math.ceil(text.length / CHARACTERS_PER_TOKEN) + images * IMAGE_TOKENS)
}
