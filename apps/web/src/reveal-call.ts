/**
 * Brings the card of a call into sight. In a long conversation the card may not exist until its row
 * is scrolled to, so the list does the first part of the way.
 */

/** Scrolls so that the row of a call exists. */
type Scroller = (call: string) => void

let scroller: Scroller | undefined

/** The list on the screen; returns what takes it back. */
export function setRevealer(next: Scroller): () => void {
  scroller = next
  return () => {
    if (scroller === next) scroller = undefined
  }
}

/** The card of a call where it stands in the conversation; null while its row does not exist. */
export const cardOf = (call: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`.thread #${CSS.escape(`call-${call}`)}`)

/** Looks for the card over this many frames. */
const FRAMES = 30

/** With `focus`, the first thing to decide in the card gets the keyboard. */
export function revealCall(call: string, focus = false): void {
  scroller?.(call)
  settle(call, focus, FRAMES)
}

function settle(call: string, focus: boolean, frames: number): void {
  const card = cardOf(call)
  if (!card) {
    if (frames > 0) requestAnimationFrame(() => settle(call, focus, frames - 1))
    return
  }
  card.scrollIntoView({ block: 'center' })
  if (focus) firstIn(card)?.focus({ preventScroll: true })
}

/** Best first: what decides, what can be filled in, and otherwise the card's own line. */
const FIRST = [
  '[data-tw-part="allow-once"]',
  '[data-tw-part="choices"] button',
  'textarea, input, select',
  'button',
]

function firstIn(card: HTMLElement): HTMLElement | null {
  for (const selector of FIRST) {
    const found = card.querySelector<HTMLElement>(selector)
    if (found) return found
  }
  return null
}
