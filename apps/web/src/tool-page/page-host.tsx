/** Where the page beside a call is shown, apart from the call's card: that one comes and goes with its row. */
import { useCall, useSessionContext } from '@toolwire/react'
import { lazy, Suspense } from 'react'
import { closePage, useOpenPage } from './page-target.ts'

const PagePane = lazy(async () => ({ default: (await import('./page-pane.tsx')).PagePane }))

export interface PageHostProps {
  /** Takes words that the page proposes and somebody wants to use; without it pages cannot propose any. */
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
