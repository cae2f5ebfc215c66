/** Puts a text on the clipboard, and knows for a moment that it did. */
import { useEffect, useState } from 'react'

const SHOWN_MS = 1500

export interface Copy {
  /** True for a moment after the text was copied. */
  readonly copied: boolean
  readonly copy: () => void
}

/**
 * `text` is read when `copy` is called; a function serves for what takes long to make. Without permission nothing is
 * copied, and `copied` stays false. Needs no session around it.
 */
export function useCopy(text: string | (() => string)): Copy {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () =>
    void navigator.clipboard?.writeText(typeof text === 'string' ? text : text()).then(
      () => setCopied(true),
      () => {},
    )
  return { copied, copy }
}
