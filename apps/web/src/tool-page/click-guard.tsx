/**
 * Guards controls that a page can make appear and that decide something. Ignores clicks at first to prevent
 * clickjacking.
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
