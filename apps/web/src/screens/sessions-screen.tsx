/** All sessions as a table: found by text and state, opened, taken away several at once. */
import type { SessionJson } from '@toolwire/client'
import { useCallback, useDeferredValue, useState } from 'react'
import { AppIcon } from '../app-icon.tsx'
import { client } from '../client.ts'
import { followLink, sessionPath } from '../router.ts'
import { tellSessionChanged } from '../session-signal.ts'
import { useWords } from '../strings/use-words.ts'
import { errorText, useLoaded } from '../use-loaded.ts'
import { formatDate } from './format-date.ts'
import { ScreenHeader } from './screen-header.tsx'

const STATES = ['', 'running', 'paused', 'failed', 'idle'] as const
type State = (typeof STATES)[number]

/** Enough for a screen; more come when asked for. */
const PAGE = 50

export function SessionsScreen({ onMenu }: { readonly onMenu: () => void }) {
  const { t, a } = useWords()
  const [text, setText] = useState('')
  const [state, setState] = useState<State>('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const wanted = useDeferredValue(text.trim())
  const { rows, more, error, refresh, readMore } = useRows(wanted, state)
  const remove = useRemove([...chosen], () => {
    setChosen(new Set())
    refresh()
    tellSessionChanged()
  })
  const choose = (id: string, on: boolean) =>
    setChosen(new Set(on ? [...chosen, id] : [...chosen].filter(other => other !== id)))
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
          {chosen.size > 0 && (
            <button type="button" className="button danger" disabled={remove.busy} onClick={remove.run}>
              {a('sessions.delete', { n: chosen.size })}
            </button>
          )}
        </div>
        {(error || remove.error) !== '' && (
          <p className="error" role="alert">
            {error || remove.error}
          </p>
        )}
        {rows?.length === 0 ? (
          <p className="empty">{wanted === '' && state === '' ? t('session.empty') : a('nav.no_match')}</p>
        ) : (
          <SessionTable rows={rows ?? []} chosen={chosen} onChoose={choose} />
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
}

function SessionTable({ rows, chosen, onChoose }: SessionTableProps) {
  const { t, a, locale } = useWords()
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
        {rows.map(row => {
          const title = row.title ?? t('session.untitled')
          return (
            <tr key={row.id} data-status={row.status}>
              <td>
                <input
                  type="checkbox"
                  aria-label={`${a('sessions.choose')}: ${title}`}
                  checked={chosen.has(row.id)}
                  onChange={event => onChoose(row.id, event.target.checked)}
                />
              </td>
              <td>
                <a href={sessionPath(row.id)} onClick={followLink}>
                  {title}
                </a>
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
        })}
      </tbody>
    </table>
  )
}

/** The first pages of what is looked for; begins anew with every change of the question. */
function useRows(text: string, state: State) {
  const [limit, setLimit] = useState({ key: '', pages: 1 })
  const key = `${state} ${text}`
  const pages = limit.key === key ? limit.pages : 1
  const read = useCallback(async () => {
    const rows: SessionJson[] = []
    let cursor: string | undefined
    for (let page = 0; page < pages; page++) {
      const answer = await client.sessions.list({
        limit: PAGE,
        ...(text === '' ? {} : { text }),
        ...(state === '' ? {} : { status: state }),
        ...(cursor === undefined ? {} : { cursor }),
      })
      rows.push(...answer.sessions)
      cursor = answer.next_cursor ?? undefined
      if (cursor === undefined) break
    }
    return { rows, more: cursor !== undefined }
  }, [text, state, pages])
  const { data, error, refresh } = useLoaded(read)
  return {
    rows: data?.rows,
    more: data?.more ?? false,
    error,
    refresh,
    readMore: () => setLimit({ key, pages: pages + 1 }),
  }
}

/** Asks once for all of them. What could not be deleted is told, the others are gone. */
function useRemove(ids: readonly string[], onDone: () => void) {
  const { a } = useWords()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const run = async () => {
    if (!confirm(a('sessions.delete_confirm', { n: ids.length }))) return
    setBusy(true)
    const results = await Promise.allSettled(ids.map(id => client.sessions.delete(id)))
    const refused = results.find(result => result.status === 'rejected')
    setError(refused ? errorText(refused.reason) : '')
    setBusy(false)
    onDone()
  }
  return { busy, error, run: () => void run() }
}
