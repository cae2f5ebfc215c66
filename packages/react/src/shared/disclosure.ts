/** Open state of cards. A user's choice outlives the card's element, so scrolling does not undo it. */
import { type Density, isOpenByState } from '@toolwire/core/parts'
import type { ToolState } from '@toolwire/core/view'

export class Disclosure {
  readonly density: Density
  readonly #chosen = new Map<string, boolean>()
  readonly #listeners = new Set<() => void>()
  #all: boolean | undefined

  constructor(density: Density = 'normal') {
    this.density = density
  }

  /** Bound, so it can be passed on. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The user's choice for this card, or for all; undefined without one. */
  chosen(id: string): boolean | undefined {
    return this.#chosen.get(id) ?? this.#all
  }

  set(id: string, open: boolean): void {
    this.#chosen.set(id, open)
    this.#tell()
  }

  /** Opens or closes every card, also those that come later. */
  setAll(open: boolean): void {
    this.#chosen.clear()
    this.#all = open
    this.#tell()
  }

  /** Default open state of a call. */
  byState(state: ToolState): boolean {
    return isOpenByState(state, this.density)
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}
