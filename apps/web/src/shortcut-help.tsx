/** The list of keys, over whatever is on the screen, when `?` is pressed. */
import { Icon } from '@toolwire/react'
import { useCallback, useRef } from 'react'
import { KeyList } from './key-list.tsx'
import { useWords } from './strings/use-words.ts'
import { useShortcut } from './use-shortcuts.ts'

export function ShortcutHelp() {
  const { t, a } = useWords()
  const dialog = useRef<HTMLDialogElement>(null)
  useShortcut(
    'help',
    useCallback(() => dialog.current?.showModal(), []),
  )
  return (
    <dialog ref={dialog} className="dialog" aria-label={a('settings.shortcuts')}>
      <header>
        <h2>{a('settings.shortcuts')}</h2>
        <button
          type="button"
          className="icon-button"
          aria-label={t('common.close')}
          onClick={() => dialog.current?.close()}
        >
          <Icon name="close" />
        </button>
      </header>
      <KeyList />
    </dialog>
  )
}
