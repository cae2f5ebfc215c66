/** Brings the card of a call in the conversation on the screen into sight. */
import { cardIn } from '@toolwire/core/parts'

type Revealer = (call: string, focus: boolean) => void

let revealer: Revealer | undefined

/** Registers the conversation on the screen; returns the function that removes it. */
export function setRevealer(next: Revealer): () => void {
  revealer = next
  return () => {
    if (revealer === next) revealer = undefined
  }
}

/** The scrolling element of the conversation on the screen. */
export const threadBox = (): HTMLElement | null =>
  document.querySelector<HTMLElement>('[data-tw-part="thread-scroll"]')

/** The card of a call in the conversation; null while its row is not mounted. */
export function cardOf(call: string): HTMLElement | null {
  const box = threadBox()
  return box && cardIn(box, call)
}

/** With `focus`, the first control of the card gets the keyboard. */
export const revealCall = (call: string, focus = false): void => revealer?.(call, focus)
