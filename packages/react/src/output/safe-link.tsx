/** Links out of what models and tools wrote: web and mail addresses only, the host in plain sight. */
import { linkAddress, namesHost } from '@toolwire/core/parts'
import type { ReactNode } from 'react'
import { useSessionContext } from '../session/session-context.ts'

/** An address of another kind is shown as text, without a link. */
export function SafeLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const { t } = useSessionContext()
  const link = linkAddress(href)
  if (!link) return <span data-tw-part="link-refused">{children}</span>
  const { host } = link
  const shown = typeof children === 'string' ? children : ''
  return (
    <a
      data-tw-part="link"
      href={link.href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={t('link.host', { host })}
    >
      {children}
      {!namesHost(shown, host) && <span data-tw-part="link-host">{host}</span>}
    </a>
  )
}
