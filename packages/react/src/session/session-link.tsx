/** Leads to a session: a link where the page has addresses for sessions, a button where it has none. */
import { isPlainClick } from '@toolwire/core/parts'
import type { MouseEvent, ReactNode } from 'react'

export interface SessionLinkProps {
  readonly id: string
  /** The address of a session in this page. */
  readonly href?: ((id: string) => string) | undefined
  /** In place of following the address. */
  readonly onOpen?: ((id: string) => void) | undefined
  readonly current?: boolean
  readonly children: ReactNode
}

export function SessionLink({ id, href, onOpen, current = false, children }: SessionLinkProps) {
  const mark = { 'aria-current': current ? ('page' as const) : undefined }
  if (!href)
    return (
      <button type="button" data-tw-part="session-link" {...mark} onClick={() => onOpen?.(id)}>
        {children}
      </button>
    )
  const follow = (event: MouseEvent) => {
    if (!onOpen || !isPlainClick(event)) return
    event.preventDefault()
    onOpen(id)
  }
  return (
    <a data-tw-part="session-link" href={href(id)} {...mark} onClick={follow}>
      {children}
    </a>
  )
}
