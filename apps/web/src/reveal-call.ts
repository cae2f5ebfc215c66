/**
 * Brings the card of a call into sight. In a long conversation the card may not exist until its row
 * is scrolled to, so the list does the first part of the way.
 */
import { showCard } from '@toolwire/core/parts'

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

/** With `focus`, the first thing to decide in the card gets the keyboard. */
export function revealCall(call: string, focus = false): void {
  scroller?.(call)
  showCard(() => cardOf(call), focus)
}
