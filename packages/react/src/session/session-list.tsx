/** The sessions of a server, by age, with a search. */
import type { Client, ListSessions, SessionJson } from '@toolwire/client'
import { partLabels, sessionsByAge } from '@toolwire/core/parts'
import { createTranslate, en, type Strings, type Translate } from '@toolwire/core/view'
import { type ReactNode, useMemo, useState } from 'react'
import { SessionLink, type SessionLinkProps } from './session-link.tsx'
import { type PollOptions, useSessionList } from './use-session-list.ts'

export interface SessionListProps extends PollOptions, Pick<SessionLinkProps, 'href' | 'onOpen'> {
  readonly client: Client
  /** English by default. */
  readonly strings?: Strings
  /** The default query before a search; the last hundred sessions by default. */
  readonly query?: ListSessions
  /** Id of the session that the page shows. */
  readonly current?: string
  /** Further controls of one session. */
  readonly actions?: (session: SessionJson) => ReactNode
  readonly clock?: () => number
}

const LATEST: ListSessions = { limit: 100, inputs: 'short' }

/** Needs no session around it. Reads the list again every few seconds while the page is seen. */
export function SessionList(props: SessionListProps) {
  const { client, strings = en, query = LATEST, clock = Date.now, intervalMs } = props
  const t = useMemo(() => createTranslate(strings), [strings])
  const [text, setText] = useState('')
  const wanted = text.trim()
  const { data, loaded, error } = useSessionList(
    client,
    wanted === '' ? query : { ...query, text: wanted },
    intervalMs === undefined ? {} : { intervalMs },
  )
  const words = partLabels(t)
  return (
    <section data-tw-part="session-list" aria-label={t('session.list')}>
      <input
        type="search"
        data-tw-part="session-search"
        aria-label={t('session.search')}
        placeholder={t('session.search')}
        value={text}
        onChange={event => setText(event.target.value)}
      />
      {error && (
        <p data-tw-part="error" role="alert">
          {error.message}
        </p>
      )}
      {loaded && !error && data.length === 0 && (
        <p data-tw-part="empty">{wanted === '' ? t('session.empty') : words.no_match}</p>
      )}
      {sessionsByAge(data, clock()).map(([age, sessions]) => (
        <section key={age} data-tw-part="session-group">
          <h2>{words[age]}</h2>
          <ul>
            {sessions.map(session => (
              <Item key={session.id} session={session} t={t} list={props} />
            ))}
          </ul>
        </section>
      ))}
    </section>
  )
}

interface ItemProps {
  readonly session: SessionJson
  readonly t: Translate
  readonly list: SessionListProps
}

function Item({ session, t, list }: ItemProps) {
  const { id, status, title } = session
  const current = id === list.current
  return (
    <li
      data-tw-part="session"
      data-session-id={id}
      data-state={status}
      data-tw-state={status}
      data-current={current}
    >
      <SessionLink id={id} href={list.href} onOpen={list.onOpen} current={current}>
        <i aria-hidden="true" />
        <span data-tw-part="session-title">{title ?? t('session.untitled')}</span>
        {status !== 'idle' && (
          <span data-tw-part="session-state">
            {t(status === 'failed' ? 'turn.failed' : `phase.${status}`)}
          </span>
        )}
      </SessionLink>
      {list.actions?.(session)}
    </li>
  )
}
