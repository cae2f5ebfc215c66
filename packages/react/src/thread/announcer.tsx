/** Announces to screen readers what started, ended or needs the user; never the text in between. */
import { announce, type SessionView } from '@toolwire/core/view'
import { useEffect, useRef, useState } from 'react'
import { useSessionContext } from '../session/session-context.ts'

/** History is not read out: it speaks only of what happens after the session was caught up with. */
export function Announcer() {
  const { session, t } = useSessionContext()
  const [polite, setPolite] = useState('')
  const [assertive, setAssertive] = useState('')
  const last = useRef<SessionView | undefined>(undefined)
  useEffect(() => {
    last.current = undefined
    return session.subscribe(() => {
      const { view, connection } = session.getSnapshot()
      const before = last.current
      if (connection.state === 'live' || before) last.current = view
      if (!before) return
      const said = announce(before, view, t)
      const calm = said.filter(item => !item.assertive).map(item => item.text)
      const urgent = said.filter(item => item.assertive).map(item => item.text)
      if (calm.length > 0) setPolite(calm.join('. '))
      if (urgent.length > 0) setAssertive(urgent.join('. '))
    })
  }, [session, t])
  return (
    <>
      <div data-tw-part="announcer" role="status" aria-live="polite">
        {polite}
      </div>
      <div data-tw-part="announcer" role="alert" aria-live="assertive">
        {assertive}
      </div>
    </>
  )
}
