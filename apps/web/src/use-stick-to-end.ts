/** Keeps a growing list at its end while the reader is there, and leaves it alone otherwise. */
import { useCallback, useEffect, useRef, useState } from 'react'

/** Closer to the end than this counts as there. */
const NEAR = 60
/** A scroll this soon after a wheel, a touch or a key is the reader's. */
const INTENT_MS = 400
const INTENTS = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const

export function useStickToEnd() {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const stick = useRef(true)
  const [atEnd, setAtEnd] = useState(true)
  useEffect(() => {
    const box = scroller.current
    const inner = content.current
    if (!box || !inner) return
    return follow(box, inner, stick, setAtEnd)
  }, [])
  const toEnd = useCallback(() => {
    stick.current = true
    const box = scroller.current
    if (box) box.scrollTop = box.scrollHeight
  }, [])
  /** For what brings another place into sight. */
  const letGo = useCallback(() => {
    stick.current = false
  }, [])
  return { scroller, content, atEnd, toEnd, letGo }
}

function follow(
  box: HTMLElement,
  inner: HTMLElement,
  stick: { current: boolean },
  setAtEnd: (atEnd: boolean) => void,
): () => void {
  let { scrollTop: top, scrollHeight: height } = box
  let meant = 0
  const isNear = () => box.scrollHeight - box.scrollTop - box.clientHeight < NEAR
  const toEnd = () => {
    box.scrollTop = box.scrollHeight
  }
  const onIntent = () => {
    meant = performance.now()
  }
  const onScroll = () => {
    const back = box.scrollTop < top - 2
    // A list that measures its rows moves the view by itself, and its height changes with it.
    const byReader = box.scrollHeight === height || performance.now() - meant < INTENT_MS
    if (isNear()) stick.current = true
    else if (back && byReader) stick.current = false
    else if (stick.current) toEnd()
    top = box.scrollTop
    height = box.scrollHeight
    setAtEnd(isNear() || stick.current)
  }
  const observer = new ResizeObserver(() => {
    if (stick.current) toEnd()
    else setAtEnd(isNear())
    height = box.scrollHeight
  })
  observer.observe(inner)
  observer.observe(box)
  box.addEventListener('scroll', onScroll, { passive: true })
  for (const intent of INTENTS) box.addEventListener(intent, onIntent, { passive: true })
  return () => {
    observer.disconnect()
    box.removeEventListener('scroll', onScroll)
    for (const intent of INTENTS) box.removeEventListener(intent, onIntent)
  }
}
