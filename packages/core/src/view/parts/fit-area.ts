/** A box that is as high as its text, up to a limit that the stylesheet sets. */

const SIZES_ITSELF: readonly [string, string] = ['field-sizing', 'content']

/**
 * To be called after every change of the text. Browsers that can do it by themselves are told so once: measuring
 * lays the whole page out twice per key.
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
