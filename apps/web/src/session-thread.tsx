/** The conversation of the session on the screen, with the app's actions below each turn. */
import type { TurnView } from '@toolwire/core/view'
import { Icon, Thread, type ThreadHandle, useSessionContext } from '@toolwire/react'
import { type ReactNode, useCallback, useEffect, useRef } from 'react'
import { client } from './client.ts'
import { setRevealer } from './reveal-call.ts'
import { navigate, sessionPath } from './router.ts'
import { FailedTurnActions } from './screens/failed-turn-actions.tsx'
import { useStrings } from './strings/use-strings.ts'

export function SessionThread() {
  const thread = useRef<ThreadHandle>(null)
  const actions = useActions()
  useEffect(() => setRevealer((call, focus) => thread.current?.reveal(call, { focus })), [])
  return <Thread ref={thread} actions={actions} empty={false} />
}

/** Retry of a failed turn; fork: a new session with everything up to the end of the turn. */
function useActions(): (turn: TurnView) => ReactNode {
  const { session } = useSessionContext()
  const { a } = useStrings()
  return useCallback(
    (turn: TurnView) => {
      const fork = async () => {
        const { view } = session.getSnapshot()
        const next = view.turns[view.turns.indexOf(turn) + 1]
        const cut = view.messages.get(next?.messages[0] ?? '')?.seq
        const made = await client.sessions.fork(session.id, cut === undefined ? {} : { at: cut - 1 })
        navigate(sessionPath(made.id))
      }
      return (
        <>
          {turn.state === 'failed' && <FailedTurnActions turn={turn} />}
          <button type="button" data-tw-part="quiet-button" onClick={() => void fork().catch(() => {})}>
            <Icon name="fork" />
            <span>{a('session.fork')}</span>
          </button>
        </>
      )
    },
    [session, a],
  )
}
