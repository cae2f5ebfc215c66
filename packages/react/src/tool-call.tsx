/** One tool call as a card: a line that says what it is and how it stands, and its content below. */
import { STATE_ICONS, shortLine, shortText } from '@toolwire/core/parts'
import {
  type CallView,
  describeCall,
  formatBytes,
  formatDuration,
  isFinal,
  type ToolPicture,
} from '@toolwire/core/view'
import { memo, useEffect, useId, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { Approval } from './approval.tsx'
import { ClientCall } from './client-call.tsx'
import { CopyButton } from './copy-button.tsx'
import { Icon } from './icon.tsx'
import { LongText } from './long-text.tsx'
import { useSessionContext } from './session-context.ts'
import { ToolBody } from './tool-body.tsx'
import { useCall, useElapsed } from './use-session.ts'

/** Follows one call; other calls' changes do not draw it again. */
export const ToolCall = memo(function ToolCall({ id }: { readonly id: string }) {
  const call = useCall(id)
  return call ? <ToolCallCard call={call} /> : null
})

/** How long a card stays open after its call has succeeded. */
const LINGER_MS = 600

export interface ToolCallCardProps {
  readonly call: CallView
  /** False for a second card of the same call on one page: the element's id, to which links lead, is left to the first. */
  readonly anchor?: boolean
}

export function ToolCallCard({ call, anchor = true }: ToolCallCardProps) {
  const { renderers } = useSessionContext()
  const picture = useMemo(() => describeCall(call, renderers), [call, renderers])
  const open = useOpen(call)
  const body = useId()
  return (
    <article
      data-tw-part="tool-call"
      data-state={call.state}
      data-call-id={call.call_id}
      data-tool={call.name}
      data-kind={picture.kind}
      data-open={open}
      id={anchor ? `call-${call.id}` : undefined}
    >
      <Header call={call} picture={picture} open={open} body={body} />
      {open && (
        <div data-tw-part="tool-body" id={body}>
          <ErrorText call={call} />
          <ToolBody call={call} body={picture.body} />
          <Reason call={call} />
          {call.state === 'awaiting_approval' && call.approval && (
            <Approval key={call.approval.id} call={call} approval={call.approval} />
          )}
          {call.state === 'awaiting_client' && <ClientCall call={call} />}
          <Actions call={call} />
        </div>
      )}
    </article>
  )
}

/** A person's choice, else what the state asks for. */
function useOpen(call: CallView): boolean {
  const { disclosure } = useSessionContext()
  const get = () => disclosure.chosen(call.id)
  const chosen = useSyncExternalStore(disclosure.subscribe, get, get)
  const wanted = disclosure.byState(call.state)
  const lingers = useLingering(wanted)
  return chosen ?? (wanted || lingers)
}

/** True for a moment after `open` has become false, so that an end can be seen. */
function useLingering(open: boolean): boolean {
  const [lingers, setLingers] = useState(open)
  const was = useRef(open)
  useEffect(() => {
    if (open) {
      was.current = true
      setLingers(true)
      return
    }
    if (!was.current) return
    was.current = false
    const timer = setTimeout(() => setLingers(false), LINGER_MS)
    return () => clearTimeout(timer)
  }, [open])
  return lingers
}

interface HeaderProps {
  readonly call: CallView
  readonly picture: ToolPicture
  readonly open: boolean
  readonly body: string
}

function Header({ call, picture, open, body }: HeaderProps) {
  const { disclosure } = useSessionContext()
  return (
    <button
      type="button"
      data-tw-part="tool-header"
      aria-expanded={open}
      aria-controls={open ? body : undefined}
      onClick={() => disclosure.set(call.id, !open)}
    >
      <span data-tw-part="tool-icon">
        <Icon name={STATE_ICONS[call.state]} />
      </span>
      <span data-tw-part="tool-name">{call.name}</span>
      <span data-tw-part="tool-title">{picture.title}</span>
      <FirstError call={call} open={open} />
      <Status call={call} />
      <span data-tw-part="tool-chevron">
        <Icon name="chevron" />
      </span>
    </button>
  )
}

/** State in words, with the clock or the size that tells whether it moves. */
function Status({ call }: { readonly call: CallView }) {
  const { t } = useSessionContext()
  const ms = useElapsed(call)
  const words = t(`state.${call.state}`)
  return (
    <span data-tw-part="tool-status">
      <span data-tw-part="state-words">{words}</span>
      <Detail call={call} ms={ms} />
    </span>
  )
}

function Detail({ call, ms }: { readonly call: CallView; readonly ms: number }) {
  const { t } = useSessionContext()
  const elapsed = formatDuration(ms, t.locale)
  switch (call.state) {
    case 'building':
      return (
        <span data-tw-part="bytes">
          {call.input_text.length > 200 && formatBytes(call.input_text.length, t.locale)}
        </span>
      )
    case 'executing':
    case 'cancelling':
      return (
        <span data-tw-part="elapsed">
          {elapsed}
          {call.output.lines > 0 && ` · ${t('call.lines', { n: call.output.lines })}`}
        </span>
      )
    case 'awaiting_approval':
    case 'awaiting_client':
      // A wait is told once it is one.
      return ms < 1000 ? null : <span data-tw-part="elapsed">{t('call.waiting', { time: elapsed })}</span>
    case 'success':
    case 'failed':
      return <span data-tw-part="elapsed">{elapsed}</span>
    default:
      return null
  }
}

/** The error's first line in a closed card. */
function FirstError({ call, open }: { readonly call: CallView; readonly open: boolean }) {
  const text = errorText(call)
  if (open || call.state !== 'failed' || text === '') return null
  return <span data-tw-part="tool-error-line">{shortLine(text.split('\n', 1)[0] ?? '')}</span>
}

function ErrorText({ call }: { readonly call: CallView }) {
  const { t } = useSessionContext()
  const text = errorText(call)
  if (call.state !== 'failed' || text === '') return null
  const layer = call.result?.layer
  return (
    <p data-tw-part="tool-error" data-layer={layer}>
      {layer && <strong>{t(`layer.${layer}`)}</strong>}
      <span>{shortText(text)}</span>
    </p>
  )
}

const errorText = (call: CallView): string => call.result?.failure?.message ?? ''

/** What was said with a decision. */
function Reason({ call }: { readonly call: CallView }) {
  const { t } = useSessionContext()
  const { approval } = call
  if (!approval?.decision || approval.automatic) return null
  const said = approval.reason ?? approval.answer_text
  return (
    <p data-tw-part="decision" data-decision={approval.decision}>
      <strong>{t(`approval.${approval.decision}`)}</strong>
      {said && <q>{shortText(said)}</q>}
      {approval.rule && <code>{shortLine(approval.rule)}</code>}
    </p>
  )
}

/** Somebody is to say whether it runs, or to run it. */
const isUpToSomebody = ({ state, approval }: CallView): boolean =>
  state === 'awaiting_client' || (state === 'awaiting_approval' && approval?.kind !== 'question')

function Actions({ call }: { readonly call: CallView }) {
  const { t, CallActions } = useSessionContext()
  const output = call.result?.output_text ?? call.output.tail
  const more = CallActions && <CallActions call={call} />
  const ended = isFinal(call.state)
  // Who decides can read all that would run, also where the card shows a part of it.
  if (!ended && !isUpToSomebody(call))
    return more ? <footer data-tw-part="tool-actions">{more}</footer> : null
  return (
    <footer data-tw-part="tool-actions">
      {more}
      {ended && output !== '' && (
        <CopyButton text={output} label={`${t('call.copy')}: ${t('call.output')}`} />
      )}
      <details data-tw-part="raw">
        <summary>{t('call.raw')}</summary>
        <CopyButton text={call.input_text} label={`${t('call.copy')}: ${t('call.input')}`} />
        <LongText text={call.input_text} name={call.name} />
      </details>
    </footer>
  )
}
