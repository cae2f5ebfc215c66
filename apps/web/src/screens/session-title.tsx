/** The session's name; a click changes it. */
import { titleOf } from '@toolwire/core/view'
import { isComposing, useSessionContext, useView } from '@toolwire/react'
import { useState } from 'react'
import { client } from '../client.ts'
import { useWords } from '../strings/use-words.ts'

export function SessionTitle() {
  const { t } = useWords()
  const { session } = useSessionContext()
  const title = useView(titleOf)
  const [name, setName] = useState<string | undefined>(undefined)
  if (name === undefined)
    return (
      <button
        type="button"
        className="title-button"
        title={t('session.rename')}
        onClick={() => setName(title)}
      >
        {title || t('session.untitled')}
      </button>
    )
  const done = (given: string) => {
    setName(undefined)
    if (given !== '' && given !== title) void client.sessions.rename(session.id, given).catch(() => {})
  }
  return (
    <input
      className="rename"
      aria-label={t('session.rename')}
      value={name}
      // biome-ignore lint/a11y/noAutofocus: the field opens because its button was pressed
      autoFocus
      onFocus={event => event.target.select()}
      onChange={event => setName(event.target.value)}
      onBlur={() => done(name.trim())}
      onKeyDown={event => {
        if (isComposing(event.nativeEvent)) return
        if (event.key === 'Enter') event.currentTarget.blur()
        if (event.key === 'Escape') setName(undefined)
      }}
    />
  )
}
