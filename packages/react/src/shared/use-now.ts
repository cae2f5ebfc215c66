/** The time of day for clocks on the screen. */
import { useEffect, useState } from 'react'

/** Ticks every 250 ms while `active`; otherwise it is stopped and costs nothing. */
export function useNow(active: boolean, clock: () => number = Date.now): number {
  const [now, setNow] = useState(clock)
  useEffect(() => {
    if (!active) return
    setNow(clock())
    const timer = setInterval(() => setNow(clock()), 250)
    return () => clearInterval(timer)
  }, [active, clock])
  return now
}
