/** One session in the list: its name, its state, and what can be done with it. */
import type { SessionJson } from '@toolwire/client'
import { markControls } from '@toolwire/core/parts'
import type { Locale } from '@toolwire/core/view'
import { useId, useRef, useState } from 'react'
import { AppIcon } from './app-icon.tsx'
import { client } from './client.ts'
import { RenameField } from './rename-field.tsx'
import { followLink, navigate, sessionPath } from './router.ts'
import { useStrings } from './strings/use-strings.ts'

export interface SessionItemProps {
  readonly session: SessionJson
  readonly current: boolean
  readonly locale: Locale
  readonly onChange: () => void
}

export function SessionItem({ session, current, onChange }: SessionItemProps) {
  const { t, a } = useStrings()
  const [renaming, setRenaming] = useState(false)
  const menu = useRef<HTMLDivElement>(null)
  const id = useId()
  const title = session.title ?? t('session.untitled')
  const act = (work: () => Promise<unknown>) => {
    menu.current?.hidePopover()
    // A failure shows in the list, which is reloaded in any case.
    void work()
      .catch(() => {})
      .then(onChange)
  }
  const remove = () => {
    if (!confirm(markControls(a('session.delete_confirm', { title })))) return
    act(async () => {
      await client.sessions.delete(session.id)
      if (current) navigate('/', true)
    })
  }
  const fork = () => act(async () => navigate(sessionPath((await client.sessions.fork(session.id)).id)))
  if (renaming)
    return (
      <li>
        <RenameField
          title={session.title ?? ''}
          onDone={name => {
            setRenaming(false)
            if (name !== undefined) act(() => client.sessions.rename(session.id, name))
          }}
        />
      </li>
    )
  return (
    <li className="session-item" data-status={session.status} data-current={current}>
      <a href={sessionPath(session.id)} onClick={followLink} aria-current={current ? 'page' : undefined}>
        <i className="dot" aria-hidden="true" />
        <span className="session-title">{title}</span>
        <span className="sr-only">{session.status === 'idle' ? '' : statusWords(session, t)}</span>
      </a>
      <button
        type="button"
        className="icon-button small"
        popoverTarget={id}
        aria-label={`${a('chat.more')}: ${title}`}
      >
        <AppIcon name="more" />
      </button>
      <div id={id} ref={menu} popover="auto" className="menu">
        <button type="button" onClick={() => setRenaming(true)}>
          <AppIcon name="pencil" /> {a('session.rename')}
        </button>
        <button type="button" onClick={fork}>
          <AppIcon name="plus" /> {a('session.fork')}
        </button>
        <button
          type="button"
          onClick={() => act(() => client.sessions.update(session.id, { archived: true }))}
        >
          <AppIcon name="inbox" /> {a('session.archive')}
        </button>
        <button type="button" className="danger" onClick={remove}>
          <AppIcon name="trash" /> {a('session.delete')}
        </button>
      </div>
    </li>
  )
}

const statusWords = (session: SessionJson, t: ReturnType<typeof useStrings>['t']): string =>
  session.status === 'failed' ? t('turn.failed') : t(`phase.${session.status}`)
