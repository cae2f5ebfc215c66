/** Actions on several sessions at once: tag, archive, restore, delete. */
import type { SessionJson } from '@toolwire/client'
import { Icon, isComposing } from '@toolwire/react'
import { useState } from 'react'
import { client } from '../client.ts'
import { useStrings } from '../strings/use-strings.ts'
import { errorText } from '../use-loaded.ts'

export interface SessionActionsProps {
  /** The chosen ones; nothing is drawn without any. */
  readonly rows: readonly SessionJson[]
  /** They are put away already. */
  readonly away: boolean
  readonly onDone: () => void
}

export function SessionActions({ rows, away, onDone }: SessionActionsProps) {
  const { a } = useStrings()
  const { busy, error, run } = useEach(rows, onDone)
  const n = rows.length
  if (n === 0) return error === '' ? null : <Problem text={error} />
  const remove = () => {
    if (confirm(a('sessions.delete_confirm', { n }))) run(row => client.sessions.delete(row.id))
  }
  const tags = [...new Set(rows.flatMap(row => row.tags ?? []))].sort()
  return (
    <div className="session-actions">
      <TagField
        busy={busy}
        onAdd={tag =>
          run(row => client.sessions.update(row.id, { tags: [...new Set([...tagsOf(row), tag])] }))
        }
      />
      {tags.map(tag => (
        <button
          key={tag}
          type="button"
          className="tag"
          disabled={busy}
          aria-label={a('sessions.untag', { tag })}
          title={a('sessions.untag', { tag })}
          onClick={() =>
            run(row => client.sessions.update(row.id, { tags: tagsOf(row).filter(one => one !== tag) }))
          }
        >
          #{tag} <Icon name="close" />
        </button>
      ))}
      <button
        type="button"
        className="button archive"
        disabled={busy}
        onClick={() => run(row => client.sessions.update(row.id, { archived: !away }))}
      >
        {a(away ? 'sessions.restore' : 'sessions.archive', { n })}
      </button>
      <button type="button" className="button danger" disabled={busy} onClick={remove}>
        {a('sessions.delete', { n })}
      </button>
      {error !== '' && <Problem text={error} />}
    </div>
  )
}

const tagsOf = (row: SessionJson): readonly string[] => row.tags ?? []

const Problem = ({ text }: { readonly text: string }) => (
  <p className="error" role="alert">
    {text}
  </p>
)

function TagField({ busy, onAdd }: { readonly busy: boolean; readonly onAdd: (tag: string) => void }) {
  const { a } = useStrings()
  const [text, setText] = useState('')
  return (
    <input
      className="tag-field"
      placeholder={a('sessions.tag')}
      aria-label={a('sessions.tag')}
      maxLength={40}
      disabled={busy}
      value={text}
      onChange={event => setText(event.target.value)}
      onKeyDown={event => {
        const tag = text.trim().replace(/^#/, '')
        if (event.key !== 'Enter' || isComposing(event.nativeEvent) || tag === '') return
        setText('')
        onAdd(tag)
      }}
    />
  )
}

/** Applies one action to each. Failures are shown; the others are done. */
function useEach(rows: readonly SessionJson[], onDone: () => void) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const run = async (act: (row: SessionJson) => Promise<unknown>) => {
    setBusy(true)
    const results = await Promise.allSettled(rows.map(act))
    const refused = results.find(result => result.status === 'rejected')
    setError(refused ? errorText(refused.reason) : '')
    setBusy(false)
    onDone()
  }
  return { busy, error, run: (act: (row: SessionJson) => Promise<unknown>) => void run(act) }
}
