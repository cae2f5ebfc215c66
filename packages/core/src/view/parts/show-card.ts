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

/** With `focus`, the first thing to decide in the card gets the keyboard. Gives up when the card does not come. */
export function showCard(root: HTMLElement, call: string, focus: boolean): void {
  look(root, { selector: `#${CSS.escape(`call-${call}`)}`, focus, frames: FRAMES })
}

interface Search {
  readonly selector: string
  readonly focus: boolean
  readonly frames: number
}

function look(root: HTMLElement, search: Search): void {
  const card = root.querySelector<HTMLElement>(search.selector)
  if (!card) {
    if (search.frames > 0) requestAnimationFrame(() => look(root, { ...search, frames: search.frames - 1 }))
    return
  }
  card.scrollIntoView({ block: 'center' })
  if (search.focus) firstIn(card)?.focus({ preventScroll: true })
}

function firstIn(card: HTMLElement): HTMLElement | undefined {
  for (const selector of FIRST) {
    const found = card.querySelector<HTMLElement>(selector)
    if (found) return found
  }
  return undefined
}
