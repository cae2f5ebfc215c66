/** The session's name; a click changes it. */
import { titleOf } from '@toolwire/core/view'
import { useSessionContext, useView } from '@toolwire/react'
import { useState } from 'react'
import { client } from '../client.ts'
import { RenameField } from '../rename-field.tsx'
import { useStrings } from '../strings/use-strings.ts'

export function SessionTitle() {
  const { t, a } = useStrings()
  const { session } = useSessionContext()
  const title = useView(titleOf)
  const [renaming, setRenaming] = useState(false)
  const done = (name: string | undefined) => {
    setRenaming(false)
    if (name !== undefined) void client.sessions.rename(session.id, name).catch(() => {})
  }
  if (renaming) return <RenameField title={title} onDone={done} />
  return (
    <button
      type="button"
      className="title-button"
      title={a('session.rename')}
      onClick={() => setRenaming(true)}
    >
      {title || t('session.untitled')}
    </button>
  )
}
