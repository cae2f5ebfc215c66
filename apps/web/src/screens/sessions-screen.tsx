/** All sessions as a table: found by text, state and tag, opened, renamed, and several at once tagged, put away or deleted. */
import type { SessionJson } from '@toolwire/client'
import { Icon } from '@toolwire/react'
import { useDeferredValue, useState } from 'react'
import { AppIcon } from '../app-icon.tsx'
import { tellSessionChanged } from '../session-signal.ts'
import { useStrings } from '../strings/use-strings.ts'
import { ScreenHeader } from './screen-header.tsx'
import { SessionActions } from './session-actions.tsx'
import { SessionRow } from './session-row.tsx'
import { type SessionFilter, useSessionRows } from './use-session-rows.ts'

const STATES = ['', 'running', 'paused', 'failed', 'idle', 'archived'] as const

export function SessionsScreen({ onMenu }: { readonly onMenu: () => void }) {
  const { t, a } = useStrings()
  const [text, setText] = useState('')
  const [state, setState] = useState<SessionFilter['state']>('')
  const [tag, setTag] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const wanted = useDeferredValue(text.trim())
  const { rows, more, error, refresh, readMore } = useSessionRows({ text: wanted, state, tag })
  const choose = (id: string, on: boolean) =>
    setChosen(new Set(on ? [...chosen, id] : [...chosen].filter(other => other !== id)))
  const onChange = () => {
    refresh()
    tellSessionChanged()
  }
  const onDone = () => {
    setChosen(new Set())
    onChange()
  }
  const filtered = wanted !== '' || state !== '' || tag !== ''
  return (
    <>
      <ScreenHeader title={t('session.list')} onMenu={onMenu} />
      <div className="page sessions-page">
        <div className="filters">
          <label className="search">
            <AppIcon name="search" />
            <input
              type="search"
              placeholder={t('session.search')}
              aria-label={t('session.search')}
              value={text}
              onChange={event => setText(event.target.value)}
            />
          </label>
          <select
            aria-label={a('sessions.state')}
            value={state}
            onChange={event => setState(STATES.find(name => name === event.target.value) ?? '')}
          >
            {STATES.map(name => (
              <option key={name} value={name}>
                {a(name === '' ? 'sessions.all' : `sessions.${name}`)}
              </option>
            ))}
          </select>
        </div>
        {tag !== '' && (
          <button
            type="button"
            className="tag"
            data-filter="true"
            title={a('sessions.clear_tag')}
            onClick={() => setTag('')}
          >
            #{tag} <Icon name="close" />
          </button>
        )}
        <SessionActions
          rows={rows?.filter(row => chosen.has(row.id)) ?? []}
          away={state === 'archived'}
          onDone={onDone}
        />
        {error !== '' && (
          <p className="error" role="alert">
            {error}
          </p>
        )}
        {rows?.length === 0 ? (
          <p className="empty">{filtered ? a('nav.no_match') : t('session.empty')}</p>
        ) : (
          <SessionTable
            rows={rows ?? []}
            chosen={chosen}
            onChoose={choose}
            onTag={setTag}
            onChange={onChange}
          />
        )}
        {more && (
          <button type="button" className="button" onClick={readMore}>
            {a('sessions.more')}
          </button>
        )}
      </div>
    </>
  )
}

interface SessionTableProps {
  readonly rows: readonly SessionJson[]
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (id: string, on: boolean) => void
  readonly onTag: (tag: string) => void
  readonly onChange: () => void
}

function SessionTable({ rows, chosen, onChoose, onTag, onChange }: SessionTableProps) {
  const { a } = useStrings()
  return (
    <table className="session-table">
      <thead>
        <tr>
          <th scope="col">
            <span className="sr-only">{a('sessions.choose')}</span>
          </th>
          <th scope="col">{a('sessions.title')}</th>
          <th scope="col">{a('sessions.state')}</th>
          <th scope="col">{a('chat.model')}</th>
          <th scope="col">{a('sessions.updated')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <SessionRow
            key={row.id}
            row={row}
            chosen={chosen.has(row.id)}
            onChoose={on => onChoose(row.id, on)}
            onTag={onTag}
            onChange={onChange}
          />
        ))}
      </tbody>
    </table>
  )
}
