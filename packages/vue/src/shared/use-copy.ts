/** Puts a text on the clipboard, and knows for a moment that it did. */
import { onScopeDispose, type ShallowRef, shallowRef } from 'vue'

const SHOWN_MS = 1500

export interface Copy {
  /** True for a moment after the text was copied. */
  readonly copied: Readonly<ShallowRef<boolean>>
  readonly copy: () => void
}

/**
 * `text` is asked when `copy` is called. Without permission nothing is copied, and `copied` stays false. Needs no
 * session around it.
 */
export function useCopy(text: () => string): Copy {
  const copied = shallowRef(false)
  let timer: ReturnType<typeof setTimeout> | undefined
  onScopeDispose(() => clearTimeout(timer))
  const done = () => {
    copied.value = true
    clearTimeout(timer)
    timer = setTimeout(() => {
      copied.value = false
    }, SHOWN_MS)
  }
  const copy = () => void navigator.clipboard?.writeText(text()).then(done, () => {})
  return { copied, copy }
}
