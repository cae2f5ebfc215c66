/** Shows the page beside a call, apart from the call's card, which is mounted and unmounted with its row. */
import { useCall, useSessionContext } from '@toolwire/react'
import { lazy, Suspense } from 'react'
import { closePage, useOpenPage } from './page-target.ts'

const PagePane = lazy(async () => ({ default: (await import('./page-pane.tsx')).PagePane }))

export interface PageHostProps {
  /** Receives text that the page proposes and the user accepts; without it pages cannot propose any. */
  readonly onSay?: (text: string) => void
}

export function PageHost({ onSay }: PageHostProps) {
  const { session } = useSessionContext()
  const call = useCall(useOpenPage(session.id))
  if (!call) return null
  return (
    <Suspense fallback={null}>
      <PagePane key={call.id} call={call} onClose={closePage} {...(onSay ? { onSay } : {})} />
    </Suspense>
  )
}
