/** Open state of cards. A user's choice outlives the card's element, so scrolling does not undo it. */
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

  /** The user's choice for this card, or for all; undefined without one. Reactive. */
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

  /** Default open state of a call. */
  byState(state: ToolState): boolean {
    return isOpenByState(state, this.density)
  }
}
