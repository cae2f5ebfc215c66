/** Things that the server remembers, each with a button that takes it back. A row goes when the server says so. */
import { type ReactNode, useState } from 'react'
import { AppIcon } from '../app-icon.tsx'
import { errorText } from '../use-loaded.ts'

export interface Revocable {
  readonly key: string
  readonly name: string
  /** Beside the name, in small letters. */
  readonly about: ReactNode
  /** Absent for what cannot be taken back here. */
  readonly onRevoke?: () => Promise<unknown>
  /** Absent for what cannot be changed here. */
  readonly onEdit?: () => void
}

export interface RevocableListProps {
  readonly rows: readonly Revocable[]
  readonly label: string
  /** Of the buttons that change something, where there are any. */
  readonly editLabel?: string
  readonly onDone: () => void
}

export function RevocableList({ rows, label, editLabel = '', onDone }: RevocableListProps) {
  const [busy, setBusy] = useState('')
  const [error, setError] = useState('')
  const revoke = (key: string, act: () => Promise<unknown>) => {
    setBusy(key)
    setError('')
    void act()
      .then(onDone, (thrown: unknown) => setError(errorText(thrown)))
      .then(() => setBusy(''))
  }
  return (
    <>
      <ul className="revocable">
        {rows.map(({ key, name, about, onRevoke, onEdit }) => (
          <li key={key}>
            <code>{name}</code>
            <span className="quiet">{about}</span>
            {onEdit && (
              <button
                type="button"
                className="icon-button small edit"
                aria-label={`${editLabel}: ${name}`}
                title={editLabel}
                disabled={busy === key}
                onClick={onEdit}
              >
                <AppIcon name="pencil" />
              </button>
            )}
            {onRevoke && (
              <button
                type="button"
                className="icon-button small revoke"
                aria-label={`${label}: ${name}`}
                title={label}
                disabled={busy === key}
                onClick={() => revoke(key, onRevoke)}
              >
                <AppIcon name="trash" />
              </button>
            )}
          </li>
        ))}
      </ul>
      {error !== '' && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
    </>
  )
}
