/** Single keys of the inbox: move between cards, allow, deny, edit. They act on the card that has the keyboard. */
import { isComposing } from '@toolwire/react'
import { useEffect, useRef } from 'react'
import { usePreferences } from '../preferences.ts'

/** After the list has moved, a key may be meant for the card that was there before. */
const SETTLE_MS = 300

const CARDS = '[data-tw-part="inbox"] [data-tw-part="tool-call"]'
const BUTTONS: Readonly<Record<string, string>> = {
  a: '[data-tw-part="allow-once"]',
  d: '[data-tw-part="deny"]',
  e: '[data-tw-part="edit"]',
}

/** `moved` changes when the list does. */
export function useInboxKeys(moved: unknown): void {
  const { singleKeys } = usePreferences()
  const since = useRef(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list that moved is the reason
  useEffect(() => {
    since.current = performance.now()
  }, [moved])
  useEffect(() => {
    if (!singleKeys) return
    const onKey = (event: KeyboardEvent) => {
      if (isComposing(event) || isForOthers(event) || !act(event, since.current)) return
      event.preventDefault()
      // Elsewhere these keys open and close cards.
      event.stopImmediatePropagation()
    }
    window.addEventListener('keydown', onKey, true)
    return () => window.removeEventListener('keydown', onKey, true)
  }, [singleKeys])
}

/** Returns false for all other keys. */
function act(event: KeyboardEvent, since: number): boolean {
  const cards = [...document.querySelectorAll<HTMLElement>(CARDS)]
  const at = cards.findIndex(card => card.contains(document.activeElement))
  const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
  if (step === 0) return press(cards[at], event, since)
  focusCard(cards.at(Math.min(cards.length - 1, Math.max(0, at + step))))
  return true
}

function focusCard(card: HTMLElement | undefined): void {
  card?.querySelector<HTMLElement>('[data-tw-part="tool-header"]')?.focus()
  card?.scrollIntoView({ block: 'nearest' })
}

/** A repeated key, or one right after a move, does nothing. */
function press(card: HTMLElement | undefined, event: KeyboardEvent, since: number): boolean {
  const button = Object.hasOwn(BUTTONS, event.key) ? BUTTONS[event.key] : undefined
  if (!card || button === undefined) return false
  if (!event.repeat && performance.now() - since >= SETTLE_MS)
    card.querySelector<HTMLButtonElement>(`${button}:enabled`)?.click()
  return true
}

/** Keys of the browser, and those that are typed into a field. */
const isForOthers = ({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean =>
  ctrlKey ||
  metaKey ||
  altKey ||
  (target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null)
