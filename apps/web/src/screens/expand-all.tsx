/** Opens every tool call of the conversation, or closes them again. */
import { Icon, useSessionContext, useView } from '@toolwire/react'
import { useState } from 'react'

export function ExpandAll() {
  const { disclosure, t } = useSessionContext()
  const any = useView(view => view.calls.size > 0)
  const [open, setOpen] = useState(false)
  if (!any) return null
  const label = t(open ? 'call.collapse_all' : 'call.expand_all')
  return (
    <button
      type="button"
      className="icon-button expand-all"
      data-open={open}
      aria-label={label}
      title={label}
      onClick={() => {
        disclosure.setAll(!open)
        setOpen(!open)
      }}
    >
      <Icon name="chevron" />
    </button>
  )
}
