/** A box over the page with a title and a way out. What is in it exists only while it is open. */
import { Icon } from '@toolwire/react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useWords } from './strings/use-words.ts'

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
  const { t } = useWords()
  const box = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (open) box.current?.showModal()
    else box.current?.close()
  }, [open])
  return (
    <dialog ref={box} className="dialog" data-wide={wide} aria-label={title} onClose={onClose}>
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
