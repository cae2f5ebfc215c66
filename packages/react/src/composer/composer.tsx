/** The message field of the surrounding session: sends with the files that are attached, or stops the current run. */
import {
  type AttachmentLimits,
  type Complete,
  composerLabels,
  type MessageContent,
} from '@toolwire/core/parts'
import type { ReactNode } from 'react'
import { useSessionContext } from '../session/session-context.ts'
import { useConnection, useView } from '../session/use-session.ts'
import { MessageBox } from './message-box.tsx'
import type { Draft, SendMode } from './message-box-props.ts'

export interface ComposerProps {
  readonly placeholder?: string
  readonly autoFocus?: boolean
  /** In place of sending to the session. `content` has the files as well. */
  readonly onSend?: (text: string, content: MessageContent, mode: SendMode) => Promise<unknown>
  /** Text to put below what was typed, once per object. Nothing is sent by it. */
  readonly draft?: Draft | undefined
  /** Keeps unsent text and files in this browser under this name, so that a reload does not lose them. */
  readonly draftKey?: string
  /** False: no files can be attached. */
  readonly attach?: boolean
  readonly limits?: AttachmentLimits
  /** Suggestions for `@` and `/`. */
  readonly complete?: Complete
  /** Further controls, beside the button. */
  readonly children?: ReactNode
}

/** Enter sends, or queues while a run is in progress; Ctrl and Enter sends to that run. */
export function Composer({ attach = true, limits, ...props }: ComposerProps) {
  const { session, commands, t } = useSessionContext()
  const phase = useView(view => view.phase)
  const cancelling = useView(view => view.cancelling)
  const { state } = useConnection()
  const running = phase === 'running'
  const send: NonNullable<ComposerProps['onSend']> =
    props.onSend ??
    ((_text, content, { steers }) => session.send(content, steers ? { when_running: 'steer' } : {}))
  const upload = attach ? commands.files?.upload : undefined
  const stop = () => void commands.cancel(session.id).catch(() => {})
  return (
    <MessageBox
      {...props}
      onSend={send}
      locale={t.locale}
      isConnected={state === 'live'}
      placeholder={props.placeholder ?? t('composer.placeholder')}
      words={{ send: t(running ? 'composer.queue' : 'composer.send') }}
      {...(upload ? { attach: { upload, ...(limits ? { limits } : {}) } } : {})}
      {...(running
        ? {
            hint: composerLabels(t).queue_hint,
            stop: {
              label: t(cancelling ? 'composer.stopping' : 'composer.stop'),
              busy: cancelling,
              onStop: stop,
            },
          }
        : {})}
    />
  )
}
