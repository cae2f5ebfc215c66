/** All exchanges of a session, oldest first, and the messages that wait behind them. */
import type { TurnView } from '@toolwire/core/view'
import type { ReactNode } from 'react'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { Message } from './message.tsx'
import { Turn } from './turn.tsx'

export interface ConversationProps {
  /** Shown while there is nothing else. */
  readonly empty?: ReactNode
  readonly actions?: (turn: TurnView) => ReactNode
}

/** Silent for screen readers while it grows; `Announcer` announces the boundaries. */
export function Conversation({ empty, actions }: ConversationProps) {
  const { t } = useSessionContext()
  const ids = useTurnIds()
  const queue = useView(view => view.queue)
  const nothing = ids.length === 0 && queue.length === 0
  return (
    <div data-tw-part="conversation" role="log" aria-live="off">
      {nothing && (empty ?? <p data-tw-part="empty">{t('session.empty')}</p>)}
      {ids.map(id => (
        <Turn key={id} id={id} {...(actions ? { actions } : {})} />
      ))}
      {queue.map(message => (
        <Message key={message.id} id={message.id} />
      ))}
    </div>
  )
}

/** Ids of the exchanges; the same list until one is added. */
export function useTurnIds(): readonly string[] {
  // Ids hold no spaces, so a joined text compares by value.
  const joined = useView(view => view.turns.map(turn => turn.id).join(' '))
  return joined === '' ? [] : joined.split(' ')
}
