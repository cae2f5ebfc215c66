/**
 * Browsers keep six connections to one server across all tabs, and every live session takes one. A hidden page
 * closes its own and resumes where it stopped when it is visible again.
 */
import { useEffect } from 'react'
import { client } from './client.ts'

/** Switching to and fro must not cost a connection each time. */
const REST_AFTER_MS = 2000

/** For the part that shows the session `id`, and so holds it open. */
export function useDisconnectWhileHidden(id: string): void {
  useEffect(() => {
    const session = client.session(id)
    let timer: ReturnType<typeof setTimeout> | undefined
    const change = () => {
      clearTimeout(timer)
      if (document.hidden) timer = setTimeout(() => session.close(), REST_AFTER_MS)
      // The part still holds the session; one more hold, let go at once, makes it read on.
      else session.open()()
    }
    document.addEventListener('visibilitychange', change)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', change)
    }
  }, [id])
}
