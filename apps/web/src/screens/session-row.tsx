/** One session in the table: chosen, opened, renamed, found by its tags. */
import type { SessionJson } from '@toolwire/client'
import { useState } from 'react'
import { AppIcon } from '../app-icon.tsx'
import { client } from '../client.ts'
import { RenameField } from '../rename-field.tsx'
import { followLink, sessionPath } from '../router.ts'
import { useStrings } from '../strings/use-strings.ts'
import { formatDate } from './format-date.ts'

export interface SessionRowProps {
  readonly row: SessionJson
  readonly chosen: boolean
  readonly onChoose: (on: boolean) => void
  readonly onTag: (tag: string) => void
  /** After something about the session was changed here, or could not be. */
  readonly onChange: () => void
}

export function SessionRow({ row, chosen, onChoose, onTag, onChange }: SessionRowProps) {
  const { t, a, locale } = useStrings()
  const title = row.title ?? t('session.untitled')
  return (
    <tr data-status={row.status}>
      <td>
        <input
          type="checkbox"
          aria-label={`${a('sessions.choose')}: ${title}`}
          checked={chosen}
          onChange={event => onChoose(event.target.checked)}
        />
      </td>
      <td>
        <Name row={row} title={title} onChange={onChange} />
        {row.tags?.map(tag => (
          <button
            key={tag}
            type="button"
            className="tag"
            title={a('sessions.tagged', { tag })}
            onClick={() => onTag(tag)}
          >
            #{tag}
          </button>
        ))}
      </td>
      <td>
        <i className="dot" aria-hidden="true" />
        {a(`sessions.${row.status}`)}
      </td>
      <td>{row.model}</td>
      <td>
        <time dateTime={row.updated_at}>{formatDate(row.updated_at, locale)}</time>
      </td>
    </tr>
  )
}

interface NameProps extends Pick<SessionRowProps, 'row' | 'onChange'> {
  readonly title: string
}

function Name({ row, title, onChange }: NameProps) {
  const { a } = useStrings()
  const [renaming, setRenaming] = useState(false)
  const done = (name: string | undefined) => {
    setRenaming(false)
    if (name === undefined) return
    // A failure shows in the list, which is reloaded in any case.
    void client.sessions
      .rename(row.id, name)
      .catch(() => {})
      .then(onChange)
  }
  if (renaming) return <RenameField title={row.title ?? ''} onDone={done} />
  return (
    <>
      <a href={sessionPath(row.id)} onClick={followLink}>
        {title}
      </a>
      <button
        type="button"
        className="icon-button small rename-row"
        aria-label={`${a('session.rename')}: ${title}`}
        title={a('session.rename')}
        onClick={() => setRenaming(true)}
      >
        <AppIcon name="pencil" />
      </button>
    </>
  )
}
