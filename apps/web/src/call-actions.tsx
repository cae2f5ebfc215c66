/** What can be done with one call beyond its own card: stop it, read all of its output, find it in the trace. */
import { type CallView, isFinal } from '@toolwire/core/view'
import { Icon, useSessionContext } from '@toolwire/react'
import { lazy, Suspense, useState } from 'react'
import { AppIcon } from './app-icon.tsx'
import { client } from './client.ts'
import { isCut } from './output/is-cut.ts'
import { ShowPage } from './output/show-page.tsx'
import { navigate, sessionPath } from './router.ts'
import { useWords } from './strings/use-words.ts'
import { OpenPage } from './tool-page/open-page.tsx'
import { setTraceTarget } from './trace/trace-target.ts'

const ArtifactPane = lazy(async () => ({
  default: (await import('./output/artifact-pane.tsx')).ArtifactPane,
}))

export function CallActions({ call }: { readonly call: CallView }) {
  return (
    <>
      <CallControls call={call} />
      {isFinal(call.state) && <ShowInTrace call={call} />}
    </>
  )
}

/** The same, for places that have no trace. */
export function CallControls({ call }: { readonly call: CallView }) {
  if (!isFinal(call.state))
    return (
      <>
        <StopCall call={call} />
        <OpenPage call={call} />
      </>
    )
  return (
    <>
      <OpenPage call={call} />
      {isCut(call.result?.output_text) && <FullOutput call={call} />}
      <ShowPage call={call} />
    </>
  )
}

/** Only what runs on the server can be stopped; what waits for somebody is answered instead. */
function StopCall({ call }: { readonly call: CallView }) {
  const { t, a } = useWords()
  const { session } = useSessionContext()
  const [sending, setSending] = useState(false)
  if (call.executor !== 'server' || !(call.state === 'executing' || call.state === 'cancelling')) return null
  const stop = () => {
    setSending(true)
    void client.sessions
      .cancelCall(session.id, call.call_id)
      .catch(() => {})
      .then(() => setSending(false))
  }
  const stopping = sending || call.state === 'cancelling'
  return (
    <button type="button" data-tw-part="stop-call" disabled={stopping} onClick={stop}>
      <Icon name="square" filled />
      <span>{stopping ? t('state.cancelling') : a('call.stop')}</span>
    </button>
  )
}

/** The log holds the ends of a long output; the server keeps all of it. */
function FullOutput({ call }: { readonly call: CallView }) {
  const { a } = useWords()
  const { session } = useSessionContext()
  const [open, setOpen] = useState(false)
  return (
    <>
      <button type="button" data-tw-part="quiet-button" className="full-output" onClick={() => setOpen(true)}>
        <AppIcon name="page" />
        <span>{a('output.full')}</span>
      </button>
      {open && (
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

function ShowInTrace({ call }: { readonly call: CallView }) {
  const { a } = useWords()
  const { session } = useSessionContext()
  const show = () => {
    setTraceTarget(call.id)
    navigate(sessionPath(session.id, true), true)
  }
  return (
    <button type="button" data-tw-part="quiet-button" className="show-in-trace" onClick={show}>
      <AppIcon name="trace" />
      <span>{a('trace.show')}</span>
    </button>
  )
}
