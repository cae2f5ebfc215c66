/** Everything that waits for somebody, with its own card, over all sessions. */
import { titleOf } from '@toolwire/core/view'
import { Icon, type InboxItem, type Polled, SessionProvider, ToolCallCard, useView } from '@toolwire/react'
import { CallControls } from '../call-actions.tsx'
import { client } from '../client.ts'
import { Code } from '../markdown/code.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { followLink, sessionPath } from '../router.ts'
import { useWords } from '../strings/use-words.ts'
import { useRestWhileHidden } from '../use-rest-while-hidden.ts'
import { ScreenHeader } from './screen-header.tsx'

export interface InboxScreenProps {
  readonly inbox: Polled<readonly InboxItem[]>
  readonly onMenu: () => void
}

export function InboxScreen({ inbox, onMenu }: InboxScreenProps) {
  const { t, a } = useWords()
  const sessions = [...new Set(inbox.data.map(item => item.session_id))]
  return (
    <>
      <ScreenHeader title={t('inbox.title')} onMenu={onMenu} />
      <div className="page">
        <p className="lead">{a('inbox.lead')}</p>
        {inbox.loaded && sessions.length === 0 && (
          <div className="empty">
            <Icon name="check" />
            <p>{t('inbox.empty')}</p>
          </div>
        )}
        {sessions.slice(0, LIVE).map(id => (
          <Waiting key={id} id={id} />
        ))}
        {sessions.slice(LIVE).map(id => (
          <Later key={id} id={id} items={inbox.data.filter(item => item.session_id === id)} />
        ))}
      </div>
    </>
  )
}

/** Browsers keep six connections to one server, and every live session takes one. */
const LIVE = 3

function Later({ id, items }: { readonly id: string; readonly items: readonly InboxItem[] }) {
  const { a } = useWords()
  return (
    <section className="inbox-session">
      <p className="quiet">{items.map(item => item.message ?? item.name).join(' · ')}</p>
      <a className="button small" href={sessionPath(id)} onClick={followLink}>
        {a('inbox.open')}
      </a>
    </section>
  )
}

function Waiting({ id }: { readonly id: string }) {
  const { strings } = useWords()
  useRestWhileHidden(id)
  return (
    <SessionProvider
      client={client}
      sessionId={id}
      strings={strings}
      text={Markdown}
      code={Code}
      callActions={CallControls}
    >
      <WaitingCalls id={id} />
    </SessionProvider>
  )
}

function WaitingCalls({ id }: { readonly id: string }) {
  const { t } = useWords()
  const title = useView(titleOf)
  const pending = useView(view => view.pending)
  const calls = useView(view => view.calls)
  if (pending.length === 0) return null
  return (
    <section className="inbox-session">
      <h2>
        <a href={sessionPath(id)} onClick={followLink}>
          {title || t('session.untitled')}
        </a>
      </h2>
      {pending.map(item => {
        const call = calls.get(item.call)
        return call ? <ToolCallCard key={item.id} call={call} /> : null
      })}
    </section>
  )
}
