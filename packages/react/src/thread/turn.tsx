/** One exchange: the question, everything done about it, how it ended and what it took. */
import { answerOf, findTurn, isActive } from '@toolwire/core/parts'
import { type TurnView, turnElapsedMs } from '@toolwire/core/view'
import { memo, type ReactNode } from 'react'
import { useSessionContext } from '../session/session-context.ts'
import { StatsBar } from '../session/stats-bar.tsx'
import { useView } from '../session/use-session.ts'
import { useNow } from '../shared/use-now.ts'
import { BranchPager } from '../versions/branch-pager.tsx'
import { Regenerate } from '../versions/regenerate.tsx'
import { CopyAnswer, Message } from './message.tsx'

export interface TurnProps {
  readonly id: string
  /** Further buttons below a finished exchange. */
  readonly actions?: (turn: TurnView) => ReactNode
}

export const Turn = memo(function Turn({ id, actions }: TurnProps) {
  const turn = useView(view => findTurn(view, id))
  if (!turn) return null
  return (
    <section data-tw-part="turn" data-state={turn.state} data-tw-state={turn.state} data-turn-id={turn.id}>
      {turn.messages.map(message => (
        <Message key={message} id={message} />
      ))}
      <TurnEnd id={id} {...(actions ? { actions } : {})} />
    </section>
  )
})

/** The end of an exchange: activity, outcome, totals. For lists that place messages themselves. */
export function TurnEnd({ id, actions }: TurnProps) {
  const turn = useView(view => findTurn(view, id))
  const answer = useView(view => answerOf(view, id))
  if (!turn) return null
  const [question = ''] = turn.messages
  const ended = turn.state !== 'running' && turn.state !== 'paused'
  return (
    <>
      <Ending turn={turn} />
      {ended && (
        <footer data-tw-part="turn-footer">
          <StatsBar stats={turn.stats} />
          <span data-tw-part="turn-actions">
            {answer !== undefined && <BranchPager message={answer} />}
            <CopyAnswer messages={turn.messages} />
            <Regenerate message={question} />
            {actions?.(turn)}
          </span>
        </footer>
      )}
    </>
  )
}

function Ending({ turn }: { readonly turn: TurnView }) {
  const { t } = useSessionContext()
  switch (turn.state) {
    case 'running':
      return <Working turn={turn} />
    case 'failed':
      return (
        <div data-tw-part="turn-error" role="alert">
          <strong>{t('turn.failed')}</strong>
          <p>{turn.error?.message}</p>
        </div>
      )
    case 'cancelled':
      return <p data-tw-part="note">{t('turn.cancelled')}</p>
    case 'completed':
    case 'paused':
      return null
  }
}

/** Shown while nothing else on the screen moves: between a question and the first word. */
function Working({ turn }: { readonly turn: TurnView }) {
  const { t, clock } = useSessionContext()
  const quiet = useView(view => !isActive(view))
  const now = useNow(true, clock)
  if (!quiet && turn.attempt < 2) return null
  const seconds = Math.floor(turnElapsedMs(turn, now) / 1000)
  return (
    <p data-tw-part="working">
      <span data-tw-part="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {turn.attempt > 1 ? t('turn.retrying', { n: turn.attempt }) : t('turn.running')}
      {seconds > 3 && <span data-tw-part="elapsed">{seconds} s</span>}
    </p>
  )
}
