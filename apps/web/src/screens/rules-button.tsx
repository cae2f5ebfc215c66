/** What tools may do in this session without asking, to look at and to take back. */
import { Icon, useSessionContext } from '@toolwire/react'
import { useRef, useState } from 'react'
import { AppIcon } from '../app-icon.tsx'
import { RuleList } from '../settings/rule-list.tsx'
import { useWords } from '../strings/use-words.ts'

export function RulesButton() {
  const { t, a } = useWords()
  const { session } = useSessionContext()
  const dialog = useRef<HTMLDialogElement>(null)
  const [open, setOpen] = useState(false)
  const show = () => {
    setOpen(true)
    dialog.current?.showModal()
  }
  return (
    <>
      <button
        type="button"
        className="icon-button rules-button"
        aria-label={a('permissions.title')}
        title={a('permissions.title')}
        onClick={show}
      >
        <AppIcon name="shield" />
      </button>
      <dialog
        ref={dialog}
        className="dialog"
        aria-label={a('permissions.title')}
        onClose={() => setOpen(false)}
      >
        <header>
          <h2>{a('permissions.title')}</h2>
          <button
            type="button"
            className="icon-button"
            aria-label={t('common.close')}
            onClick={() => dialog.current?.close()}
          >
            <Icon name="close" />
          </button>
        </header>
        {open && <RuleList session={session.id} />}
      </dialog>
    </>
  )
}
