/** Keeps a growing list at its end while the reader is there, and leaves it alone otherwise. */

/** Closer to the end than this counts as there. */
const NEAR = 60
/** A scroll this soon after a wheel, a touch or a key is the reader's. */
const INTENT_MS = 400
const INTENTS = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const

/** One per list. Does nothing before `attach`, so that a page can be drawn where there is no browser. */
export class StickToEnd {
  readonly #tell: (atEnd: boolean) => void
  #box: HTMLElement | undefined
  #sticks = true
  #top = 0
  #height = 0
  #meant = Number.NEGATIVE_INFINITY

  /** Calls `report` with true while the end is visible, also without a change. */
  constructor(tell: (atEnd: boolean) => void) {
    this.#tell = tell
  }

  /** Follows the element that scrolls and what grows inside of it. The caller calls what is returned when they go. */
  attach(box: HTMLElement, inner: HTMLElement): () => void {
    this.#box = box
    this.#remember(box)
    const onIntent = () => {
      this.#meant = performance.now()
    }
    const onScroll = () => this.#scrolled(box)
    // Pages without layout have none: nothing grows there.
    const observer =
      typeof ResizeObserver === 'undefined' ? undefined : new ResizeObserver(() => this.#grown(box))
    observer?.observe(inner)
    observer?.observe(box)
    box.addEventListener('scroll', onScroll, { passive: true })
    for (const intent of INTENTS) box.addEventListener(intent, onIntent, { passive: true })
    return () => {
      observer?.disconnect()
      box.removeEventListener('scroll', onScroll)
      for (const intent of INTENTS) box.removeEventListener(intent, onIntent)
      this.#box = undefined
    }
  }

  /** Goes there and stays. */
  toEnd(): void {
    this.#sticks = true
    if (this.#box) this.#box.scrollTop = this.#box.scrollHeight
  }

  /** For what brings another place into sight. */
  letGo(): void {
    this.#sticks = false
  }

  #scrolled(box: HTMLElement): void {
    const back = box.scrollTop < this.#top - 2
    // A list that measures its rows moves the view by itself, and its height changes with it.
    const byReader = box.scrollHeight === this.#height || performance.now() - this.#meant < INTENT_MS
    if (isNear(box)) this.#sticks = true
    else if (back && byReader) this.#sticks = false
    else if (this.#sticks) this.toEnd()
    this.#remember(box)
    this.#tell(isNear(box) || this.#sticks)
  }

  #grown(box: HTMLElement): void {
    if (this.#sticks) this.toEnd()
    else this.#tell(isNear(box))
    this.#height = box.scrollHeight
  }

  #remember(box: HTMLElement): void {
    this.#top = box.scrollTop
    this.#height = box.scrollHeight
  }
}

const isNear = (box: HTMLElement): boolean => box.scrollHeight - box.scrollTop - box.clientHeight < NEAR
