/** Permissions of this session, to inspect and revoke. */
import { useSessionContext } from '@toolwire/react'
import { useState } from 'react'
import { AppIcon } from '../app-icon.tsx'
import { Dialog } from '../dialog.tsx'
import { RuleList } from '../settings/rule-list.tsx'
import { useStrings } from '../strings/use-strings.ts'

export function RulesButton() {
  const { a } = useStrings()
  const { session } = useSessionContext()
  const [open, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className="icon-button rules-button"
        aria-label={a('permissions.title')}
        title={a('permissions.title')}
        onClick={() => setOpen(true)}
      >
        <AppIcon name="shield" />
      </button>
      <Dialog title={a('permissions.title')} open={open} onClose={() => setOpen(false)}>
        <RuleList session={session.id} />
      </Dialog>
    </>
  )
}
