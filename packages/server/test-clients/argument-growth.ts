/** Watches an element of a page grow. */
import type { Page } from 'playwright-core'

/** Starts to watch. The result returns the lengths that the text of the last such element had, in order. */
export async function growthOf(page: Page, selector: string): Promise<() => Promise<readonly number[]>> {
  await page.evaluate(wanted => {
    const lengths: number[] = []
    const note = (): void => {
      const length = [...document.querySelectorAll(wanted)].at(-1)?.textContent.length ?? 0
      if (length > 0 && lengths.at(-1) !== length) lengths.push(length)
    }
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true })
    Object.assign(window, { growth: lengths })
  }, selector)
  return () => page.evaluate(() => (window as unknown as { readonly growth: readonly number[] }).growth)
}
