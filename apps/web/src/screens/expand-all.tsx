/** Opens every tool call of the conversation, or closes them again. */
import { Icon, useSessionContext, useView } from '@toolwire/react'
import { useCallback, useState } from 'react'
import { useStrings } from '../strings/use-strings.ts'
import { useShortcut } from '../use-shortcuts.ts'

export function ExpandAll() {
  const { disclosure } = useSessionContext()
  const { a } = useStrings()
  const any = useView(view => view.calls.size > 0)
  const [open, setOpen] = useState(false)
  const set = useCallback(
    (wanted: boolean) => {
      disclosure.setAll(wanted)
      setOpen(wanted)
    },
    [disclosure],
  )
  useShortcut(
    'expand',
    useCallback(() => set(true), [set]),
  )
  useShortcut(
    'collapse',
    useCallback(() => set(false), [set]),
  )
  if (!any) return null
  const label = a(open ? 'call.collapse_all' : 'call.expand_all')
  return (
    <button
      type="button"
      className="icon-button expand-all"
      data-open={open}
      aria-label={label}
      title={`${label} (${open ? 'Shift ' : ''}E)`}
      onClick={() => set(!open)}
    >
      <Icon name="chevron" />
    </button>
  )
}
