/**
 * What a page can make appear beside itself, and a click on which decides something. In its first moment it takes
 * no clicks: a page could have it appear under a pointer that is about to press.
 */
import { type ReactNode, useEffect, useState } from 'react'

const SETTLE_MS = 600

export function ClickGuard({ children }: { readonly children: ReactNode }) {
  const [settled, setSettled] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [])
  return <div inert={!settled}>{children}</div>
}
