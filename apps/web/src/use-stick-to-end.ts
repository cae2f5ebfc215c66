/** Keeps the list on the screen at its end while the reader is there, and leaves it alone otherwise. */
import { StickToEnd } from '@toolwire/core/parts'
import { useCallback, useEffect, useRef, useState } from 'react'

export function useStickToEnd() {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const [atEnd, setAtEnd] = useState(true)
  const [stick] = useState(() => new StickToEnd(setAtEnd))
  useEffect(() => {
    const box = scroller.current
    const inner = content.current
    return box && inner ? stick.attach(box, inner) : undefined
  }, [stick])
  const toEnd = useCallback(() => stick.toEnd(), [stick])
  /** For what brings another place into sight. */
  const letGo = useCallback(() => stick.letGo(), [stick])
  return { scroller, content, atEnd, toEnd, letGo }
}
