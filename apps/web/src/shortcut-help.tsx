/** The list of keys, over whatever is on the screen, when `?` is pressed. */
import { useCallback, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { KeyList } from './key-list.tsx'
import { useStrings } from './strings/use-strings.ts'
import { useShortcut } from './use-shortcuts.ts'

export function ShortcutHelp() {
  const { a } = useStrings()
  const [open, setOpen] = useState(false)
  useShortcut(
    'help',
    useCallback(() => setOpen(true), []),
  )
  return (
    <Dialog title={a('settings.shortcuts')} open={open} onClose={() => setOpen(false)}>
      <KeyList />
    </Dialog>
  )
}
