/** Brings the card of a call into sight, also one that is only about to be drawn. */

/** Looks for the card over this many frames. */
const FRAMES = 30

/** Best first: what decides, what can be filled in, and otherwise the card's own line. */
const FIRST = [
  '[data-tw-part="allow-once"]',
  '[data-tw-part="choices"] button',
  'textarea, input, select',
  'button',
]

/** The card of a call inside of `root`; null while it is not drawn. */
export const cardIn = (root: ParentNode, call: string): HTMLElement | null =>
  root.querySelector<HTMLElement>(`#${CSS.escape(`call-${call}`)}`)

/** With `focus`, the first thing to decide in the card gets the keyboard. Gives up when the card does not come. */
export function showCard(find: () => HTMLElement | null, focus: boolean, frames = FRAMES): void {
  const card = find()
  if (!card) {
    if (frames > 0) requestAnimationFrame(() => showCard(find, focus, frames - 1))
    return
  }
  card.scrollIntoView({ block: 'center' })
  if (focus) firstIn(card)?.focus({ preventScroll: true })
}

function firstIn(card: HTMLElement): HTMLElement | undefined {
  for (const selector of FIRST) {
    const found = card.querySelector<HTMLElement>(selector)
    if (found) return found
  }
  return undefined
}
