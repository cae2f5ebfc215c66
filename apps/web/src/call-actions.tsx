/** Actions on one call beyond its own card: stop it, open its page, find it in the trace. */
import { isCutOutput } from '@toolwire/core/parts'
import { type CallView, isFinal } from '@toolwire/core/view'
import { Icon, useSessionContext, useToolCallContext } from '@toolwire/react'
import { useState } from 'react'
import { AppIcon } from './app-icon.tsx'
import { client } from './client.ts'
import { FullOutput } from './output/full-output.tsx'
import { ShowPage } from './output/show-page.tsx'
import { setChangesScope } from './panel/changes-target.ts'
import { setTraceTarget } from './panel/trace-target.ts'
import { navigate, sessionPath } from './router.ts'
import { useStrings } from './strings/use-strings.ts'
import { OpenPage } from './tool-page/open-page.tsx'

export function CallActions({ call }: { readonly call: CallView }) {
  return (
    <>
      <CallControls call={call} />
      {isFinal(call.state) && <ShowInTrace call={call} />}
      <ReviewChange call={call} />
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
      <WholeOutput call={call} />
      <ShowPage call={call} />
    </>
  )
}

/** Only server-side calls can be stopped; pending items are answered instead. */
function StopCall({ call }: { readonly call: CallView }) {
  const { t, a } = useStrings()
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

/** For displays that do not draw the output as text, and so lack "View full". */
function WholeOutput({ call }: { readonly call: CallView }) {
  const { body } = useToolCallContext().picture
  if (body.kind === 'terminal' || body.kind === 'text' || !isCutOutput(call.result?.output_text ?? ''))
    return null
  return <FullOutput call={call} />
}

/** A change of a file can be reviewed and undone in the side panel. */
function ReviewChange({ call }: { readonly call: CallView }) {
  const { a } = useStrings()
  const { session } = useSessionContext()
  const { body } = useToolCallContext().picture
  if (call.state !== 'success' || body.kind !== 'diff') return null
  const show = () => {
    setChangesScope({ call: call.call_id })
    navigate(sessionPath(session.id, 'changes'), true)
  }
  return (
    <button type="button" data-tw-part="quiet-button" className="review-change" onClick={show}>
      <AppIcon name="undo" />
      <span>{a('call.undo')}</span>
    </button>
  )
}

function ShowInTrace({ call }: { readonly call: CallView }) {
  const { a } = useStrings()
  const { session } = useSessionContext()
  const show = () => {
    setTraceTarget(call.id)
    navigate(sessionPath(session.id, 'trace'), true)
  }
  return (
    <button type="button" data-tw-part="quiet-button" className="show-in-trace" onClick={show}>
      <AppIcon name="trace" />
      <span>{a('trace.show')}</span>
    </button>
  )
}
