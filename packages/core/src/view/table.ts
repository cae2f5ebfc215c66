/**
 * An immutable table from id to value, in order of first insertion. Setting one row copies one
 * page of 32, so a long session pays the same for a change as a short one.
 *
 * The id index is shared between versions and only ever grows; a version sees the slots below
 * its own size. Two versions that grow from the same base part ways at their first new id.
 */
const PAGE = 32

export class Table<T> {
  readonly size: number
  readonly #pages: readonly (readonly T[])[]
  readonly #slots: Map<string, number>

  /** An empty table; grow it with `set`. */
  constructor(pages: readonly (readonly T[])[] = [], slots: Map<string, number> = new Map(), size = 0) {
    this.#pages = pages
    this.#slots = slots
    this.size = size
  }

  get(id: string): T | undefined {
    const slot = this.#slot(id)
    return this.#pages[Math.floor(slot / PAGE)]?.[slot % PAGE]
  }

  /** A table with this row; the same table when the row is already this very value. */
  set(id: string, value: T): Table<T> {
    const slot = this.#slot(id)
    if (slot < 0) return this.#add(id, value)
    const index = Math.floor(slot / PAGE)
    const page = this.#pages[index] ?? []
    if (page[slot % PAGE] === value) return this
    return new Table(this.#pages.with(index, page.with(slot % PAGE, value)), this.#slots, this.size)
  }

  /** Below zero for an id that this version does not have. */
  #slot(id: string): number {
    const slot = this.#slots.get(id) ?? this.size
    return slot < this.size ? slot : -1
  }

  /** Rows in order of first insertion. */
  *values(): IterableIterator<T> {
    for (const page of this.#pages) yield* page
  }

  /** Rows as a plain array: what serialisers and comparisons see. */
  toJSON(): readonly T[] {
    return [...this.values()]
  }

  #add(id: string, value: T): Table<T> {
    // Another version has grown this index already: leave it alone.
    const mine = this.#slots.size === this.size ? this.#slots : this.#ownSlots()
    mine.set(id, this.size)
    const last = this.#pages.at(-1)
    const pages =
      last && last.length < PAGE ? this.#pages.with(-1, [...last, value]) : [...this.#pages, [value]]
    return new Table(pages, mine, this.size + 1)
  }

  #ownSlots(): Map<string, number> {
    return new Map([...this.#slots].filter(([, slot]) => slot < this.size))
  }
}
