/** The content of an open call, part by part. Empty parts draw nothing. */
import {
  failureText,
  isAsked,
  isOnlyQuestion,
  isWaitingForUser,
  questionBlocks,
  shortLine,
  shortText,
} from '@toolwire/core/parts'
import { isFinal } from '@toolwire/core/view'
import { Approval } from '../approval/approval.tsx'
import { AskedBody } from '../approval/asked-body.tsx'
import { LongText } from '../output/long-text.tsx'
import { useSessionContext } from '../session/session-context.ts'
import { CopyButton } from '../shared/copy-button.tsx'
import { contentOf } from '../shared/part-content.ts'
import { ClientCall } from './client-call.tsx'
import { ToolBody } from './tool-body.tsx'
import { useToolCallContext } from './tool-call-context.ts'
import type { ToolCallPartProps } from './tool-call-header.tsx'

/** Drawn while the card is open. */
export function Body({ children }: ToolCallPartProps) {
  const { call, open, body } = useToolCallContext()
  if (!open) return null
  return (
    <div data-tw-part="tool-body" data-tw-state={call.state} id={body}>
      {contentOf(children, call, () => (
        <>
          <ErrorText />
          <Output />
          <Decision />
          <Waiting />
          <Actions />
        </>
      ))}
    </div>
  )
}

/** The error, and the check or step that failed. */
export function ErrorText({ children }: ToolCallPartProps) {
  const { call } = useToolCallContext()
  const { t } = useSessionContext()
  const text = failureText(call)
  if (text === '') return null
  const layer = call.result?.layer
  return (
    <p data-tw-part="tool-error" data-tw-state={call.state} data-layer={layer}>
      {contentOf(children, call, () => (
        <>
          {layer && <strong>{t(`layer.${layer}`)}</strong>}
          <span>{shortText(text)}</span>
        </>
      ))}
    </p>
  )
}

/** The action and output of the call, as its tool's renderer displays them. */
export function Output({ children }: ToolCallPartProps) {
  const { call, picture } = useToolCallContext()
  if (children === undefined && isOnlyQuestion(call, picture.body)) return null
  return (
    <div data-tw-part="tool-output" data-tw-state={call.state}>
      {contentOf(children, call, () =>
        isAsked(call) ? <AskedBody call={call} /> : <ToolBody call={call} body={picture.body} />,
      )}
    </div>
  )
}

/** The text sent with a decision. */
export function Decision({ children }: ToolCallPartProps) {
  const { call } = useToolCallContext()
  const { t } = useSessionContext()
  const { approval } = call
  const decision = approval?.decision
  if (!decision || approval.automatic) return null
  const said = approval.reason ?? (questionBlocks(approval) ? undefined : approval.answer_text)
  const isAnswer = approval.kind === 'question' && decision === 'approved'
  return (
    <p data-tw-part="decision" data-tw-state={call.state} data-decision={decision}>
      {contentOf(children, call, () => (
        <>
          <strong>{t(isAnswer ? 'question.answered' : `approval.${decision}`)}</strong>
          {said && <q>{shortText(said)}</q>}
          {approval.rule && <code>{shortLine(approval.rule)}</code>}
        </>
      ))}
    </p>
  )
}

/** The approval, question or client tool that waits for the user. */
export function Waiting() {
  const { call } = useToolCallContext()
  if (call.state === 'awaiting_approval' && call.approval)
    return <Approval key={call.approval.id} call={call} approval={call.approval} />
  return call.state === 'awaiting_client' ? <ClientCall call={call} /> : null
}

/** The user can read everything that would run, also where the card shows a part of it. */
export function Actions({ children }: ToolCallPartProps) {
  const { call } = useToolCallContext()
  const { t, CallActions } = useSessionContext()
  const output = call.result?.output_text ?? call.output.tail
  const more = CallActions && <CallActions call={call} />
  const ended = isFinal(call.state)
  const whole = ended || isWaitingForUser(call)
  if (children === undefined && !more && !whole) return null
  return (
    <footer data-tw-part="tool-actions" data-tw-state={call.state}>
      {contentOf(children, call, () => (
        <>
          {more}
          {ended && output !== '' && (
            <CopyButton text={output} label={`${t('call.copy')}: ${t('call.output')}`} />
          )}
          {whole && <Args />}
        </>
      ))}
    </footer>
  )
}

/** The arguments as the model wrote them, folded. */
export function Args({ children }: ToolCallPartProps) {
  const { call } = useToolCallContext()
  const { t } = useSessionContext()
  return (
    <details data-tw-part="raw" data-tw-state={call.state}>
      {contentOf(children, call, () => (
        <>
          <summary>{t('call.raw')}</summary>
          <CopyButton text={call.input_text} label={`${t('call.copy')}: ${t('call.input')}`} />
          <LongText text={call.input_text} name={call.name} />
        </>
      ))}
    </details>
  )
}
