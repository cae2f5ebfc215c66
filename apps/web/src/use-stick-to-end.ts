/** Keeps a growing list at its end while the reader is there, and leaves it alone otherwise. */
import { useCallback, useEffect, useRef, useState } from 'react'

/** Closer to the end than this counts as there. */
const NEAR = 60

export function useStickToEnd() {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const stick = useRef(true)
  const [atEnd, setAtEnd] = useState(true)
  useEffect(() => {
    const box = scroller.current
    const inner = content.current
    if (!box || !inner) return
    let top = box.scrollTop
    const onScroll = () => {
      const near = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR
      // Growth alone never lets go: only a move towards the beginning does.
      if (near) stick.current = true
      else if (box.scrollTop < top - 2) stick.current = false
      top = box.scrollTop
      setAtEnd(near || stick.current)
    }
    const observer = new ResizeObserver(() => {
      if (stick.current) box.scrollTop = box.scrollHeight
      else setAtEnd(box.scrollHeight - box.scrollTop - box.clientHeight < NEAR)
    })
    observer.observe(inner)
    observer.observe(box)
    box.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', onScroll)
    }
  }, [])
  const toEnd = useCallback(() => {
    stick.current = true
    const box = scroller.current
    if (box) box.scrollTop = box.scrollHeight
  }, [])
  return { scroller, content, atEnd, toEnd }
}
