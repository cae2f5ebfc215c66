/** "View full" of an output that the log holds only in part: opens the complete output from the server. */
import { type CallActionsProps, useSessionContext } from '@toolwire/react'
import { lazy, Suspense, useState } from 'react'

const ArtifactPane = lazy(async () => ({ default: (await import('./artifact-pane.tsx')).ArtifactPane }))

export function FullOutput({ call }: CallActionsProps) {
  const { session, t } = useSessionContext()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" data-tw-part="view-full" className="full-output" onClick={() => setOpen(true)}>
        {t('call.view_full')}
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <ArtifactPane
            session={session.id}
            call={call.call_id}
            name={call.name}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}
