/** Links out of what models and tools wrote: web and mail addresses only, the host in plain sight. */
import type { ReactNode } from 'react'
import { useSessionContext } from './session-context.ts'

const ALLOWED: ReadonlySet<string> = new Set(['https:', 'http:', 'mailto:'])

/** An address of another kind is shown as text, without a link. */
export function SafeLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const { t } = useSessionContext()
  const url = URL.parse(href)
  if (!url || !ALLOWED.has(url.protocol)) return <span data-tw-part="link-refused">{children}</span>
  const host = url.protocol === 'mailto:' ? url.pathname : url.host
  const shown = typeof children === 'string' ? children : ''
  return (
    <a
      data-tw-part="link"
      href={url.href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={t('link.host', { host })}
    >
      {children}
      {!shown.includes(host) && <span data-tw-part="link-host">{host}</span>}
    </a>
  )
}
