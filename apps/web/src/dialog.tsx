/** A box over the page with a title and a way out. What is in it exists only while it is open. */
import { Icon } from '@toolwire/react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useStrings } from './strings/use-strings.ts'

export interface DialogProps {
  readonly title: string
  readonly open: boolean
  /** Also called when Escape closes it. */
  readonly onClose: () => void
  /** Takes most of the screen. */
  readonly wide?: boolean
  readonly children: ReactNode
}

export function Dialog({ title, open, onClose, wide = false, children }: DialogProps) {
  const { t } = useStrings()
  const box = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (open) box.current?.showModal()
    else box.current?.close()
  }, [open])
  return (
    <dialog
      ref={box}
      className="dialog"
      data-wide={wide}
      aria-label={title}
      // The event comes late: the dialog may be open again.
      onClose={() => box.current?.open === false && onClose()}
    >
      <header>
        <h2>{title}</h2>
        <button type="button" className="icon-button" aria-label={t('common.close')} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {open && children}
    </dialog>
  )
}
