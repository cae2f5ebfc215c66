/** Which cards are open. A person's choice outlives the card's element, so scrolling does not undo it. */
import { type Density, isOpenByState } from '@toolwire/core/parts'
import type { ToolState } from '@toolwire/core/view'
import { shallowReactive, shallowRef } from 'vue'

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
    return isOpenByState(state, this.density)
  }
}
