/** All pending items of all sessions, each with its own card. */
import type { Client, InboxItem } from '@toolwire/client'
import { partLabels } from '@toolwire/core/parts'
import { createTranslate, en, titleOf } from '@toolwire/core/view'
import { type ReactNode, useMemo } from 'react'
import { ToolCallCard } from '../call/tool-call.tsx'
import { useSessionContext } from './session-context.ts'
import { SessionLink, type SessionLinkProps } from './session-link.tsx'
import { SessionProvider, type SessionProviderProps } from './session-provider.tsx'
import { useView } from './use-session.ts'
import type { PollState } from './use-session-list.ts'

type DisplayProps = Pick<
  SessionProviderProps,
  'strings' | 'renderers' | 'density' | 'text' | 'code' | 'callActions' | 'fullOutput' | 'onForm' | 'clock'
>

export interface InboxProps extends DisplayProps, Pick<SessionLinkProps, 'href' | 'onOpen'> {
  readonly client: Client
  /** The result of `useInbox(client)`. */
  readonly inbox: PollState<readonly InboxItem[]>
  /**
   * Number of sessions that are followed and can be answered in place; the others are listed by name. 3 by
   * default: browsers keep six connections to one server.
   */
  readonly live?: number
  /** Leaves out the items for which it returns false. */
  readonly filter?: (item: PendingFields) => boolean
  /** Further content of a session that is followed. */
  readonly children?: (sessionId: string) => ReactNode
}

/** Fields that items of the list share with waiting calls of a session. */
export type PendingFields = Pick<InboxItem, 'kind' | 'name' | 'input_text' | 'message'>

const ALL = (): boolean => true

/** Needs no session around it. Cards are those of the conversation: they change when the log says so. */
export function Inbox(props: InboxProps) {
  const { client, inbox, live = 3, filter = ALL, children, href, onOpen, ...shown } = props
  const { strings = en } = shown
  const t = useMemo(() => createTranslate(strings), [strings])
  const items = inbox.data.filter(filter)
  const sessions = [...new Set(items.map(item => item.session_id))]
  return (
    <section data-tw-part="inbox" aria-label={t('inbox.title')}>
      {inbox.error && (
        <p data-tw-part="error" role="alert">
          {inbox.error.message}
        </p>
      )}
      {inbox.loaded && !inbox.error && sessions.length === 0 && (
        <p data-tw-part="empty">{t('inbox.empty')}</p>
      )}
      {sessions.slice(0, live).map(id => (
        <SessionProvider key={id} client={client} sessionId={id} {...shown}>
          <Waiting id={id} href={href} onOpen={onOpen} filter={filter}>
            {children?.(id)}
          </Waiting>
        </SessionProvider>
      ))}
      {sessions.slice(live).map(id => (
        <section key={id} data-tw-part="inbox-session" data-session-id={id}>
          <p data-tw-part="inbox-names">
            {items
              .filter(item => item.session_id === id)
              .map(item => item.message ?? item.name)
              .join(' · ')}
          </p>
          <SessionLink id={id} href={href} onOpen={onOpen}>
            {partLabels(t).open}
          </SessionLink>
        </section>
      ))}
    </section>
  )
}

interface WaitingProps extends SessionLinkProps {
  readonly filter: (item: PendingFields) => boolean
}

function Waiting({ id, href, onOpen, filter, children }: WaitingProps) {
  const { t } = useSessionContext()
  const title = useView(titleOf)
  const pending = useView(view => view.pending).filter(filter)
  const calls = useView(view => view.calls)
  if (pending.length === 0) return children
  return (
    <section data-tw-part="inbox-session" data-session-id={id}>
      <h2>
        <SessionLink id={id} href={href} onOpen={onOpen}>
          {title || t('session.untitled')}
        </SessionLink>
      </h2>
      {pending.map(item => {
        const call = calls.get(item.call)
        return call ? <ToolCallCard key={item.id} call={call} /> : null
      })}
      {children}
    </section>
  )
}
