/** The list of keys, over whatever is on the screen, when `?` is pressed. */
import { asksForKeys, partLabels, partShortcuts, type Shortcut } from '@toolwire/core/parts'
import { useEffect, useRef } from 'react'
import { useSessionContext } from '../session/session-context.ts'
import { Icon } from '../shared/icon.tsx'

export interface ShortcutHelpProps {
  /** Keys of the page itself, after those of the parts. */
  readonly shortcuts?: readonly Shortcut[]
}

const NONE: readonly Shortcut[] = []

/** Listens while it is mounted. A `?` typed into a field stays text. */
export function ShortcutHelp({ shortcuts = NONE }: ShortcutHelpProps) {
  const { t } = useSessionContext()
  const words = partLabels(t)
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!asksForKeys(event)) return
      event.preventDefault()
      dialog.current?.showModal()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  return (
    <dialog ref={dialog} data-tw-part="shortcut-help" aria-label={words.keys}>
      <header>
        <strong>{words.keys}</strong>
        <button
          type="button"
          data-tw-part="close"
          aria-label={t('common.close')}
          onClick={() => dialog.current?.close()}
        >
          <Icon name="close" />
        </button>
      </header>
      <dl>
        {[...partShortcuts(words), ...shortcuts].map(({ keys, words: does }) => (
          <div key={keys + does}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  )
}
