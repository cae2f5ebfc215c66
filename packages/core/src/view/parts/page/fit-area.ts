/** A box that is as high as its text, up to a limit that the stylesheet sets. */

const SIZES_ITSELF: readonly [string, string] = ['field-sizing', 'content']

/**
 * Call it after every change of the text. Browsers that size fields natively are configured once: measuring causes
 * two layouts per key.
 */
export function fitArea(area: HTMLTextAreaElement | null): void {
  if (!area) return
  const [name, value] = SIZES_ITSELF
  if (globalThis.CSS?.supports?.(name, value)) {
    if (area.style.getPropertyValue(name) !== value) area.style.setProperty(name, value)
    return
  }
  area.style.height = 'auto'
  area.style.height = `${area.scrollHeight}px`
}
