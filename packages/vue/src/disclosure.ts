/** Which cards are open. A person's choice outlives the card's element, so scrolling does not undo it. */
import { isFinal, type ToolState } from '@toolwire/core/view'
import { shallowReactive, shallowRef } from 'vue'

/** `compact`: only what needs somebody is open. `everything`: all of it. */
export type Density = 'compact' | 'normal' | 'everything'

export class Disclosure {
  readonly density: Density
  readonly #chosen = shallowReactive(new Map<string, boolean>())
  readonly #all = shallowRef<boolean | undefined>(undefined)

  constructor(density: Density = 'normal') {
    this.density = density
  }

  /** What a person chose for this card, or for all of them; undefined when nobody did. Reactive. */
  chosen(id: string): boolean | undefined {
    return this.#chosen.get(id) ?? this.#all.value
  }

  set(id: string, open: boolean): void {
    this.#chosen.set(id, open)
  }

  /** Opens or closes every card, also those that come later. */
  setAll(open: boolean): void {
    this.#chosen.clear()
    this.#all.value = open
  }

  /** Whether a call is open when nobody chose. */
  byState(state: ToolState): boolean {
    if (state === 'awaiting_approval' || state === 'awaiting_client') return true
    if (this.density === 'everything') return true
    return this.density === 'normal' && !isFinal(state) && state !== 'building' && state !== 'queued'
  }
}
