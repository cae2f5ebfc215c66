/** The message field of the surrounding session: sends with the files that are attached, or stops the current run. */
import {
  type AttachmentLimits,
  type Complete,
  composerLabels,
  type MessageContent,
} from '@toolwire/core/parts'
import { defineComponent } from 'vue'
import { useSessionContext } from '../session/session-context.ts'
import { useConnection, useView } from '../session/use-session.ts'
import { h } from '../shared/h.ts'
import { MessageBox } from './message-box.ts'
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
}

/** Enter sends, or queues while a run is in progress; Ctrl and Enter sends to that run. Slot: further controls. */
export const Composer = defineComponent(
  (props: ComposerProps, { slots }) => {
    const { session, commands, t } = useSessionContext()
    const phase = useView(view => view.phase)
    const cancelling = useView(view => view.cancelling)
    const connection = useConnection()
    const send: NonNullable<ComposerProps['onSend']> = (text, content, mode) =>
      props.onSend
        ? props.onSend(text, content, mode)
        : session.value.send(content, mode.steers ? { when_running: 'steer' } : {})
    const onStop = () => void commands.value.cancel(session.value.id).catch(() => {})
    const attachment = () => {
      const upload = props.attach === false ? undefined : commands.value.files?.upload
      return upload ? { attach: { upload, ...(props.limits ? { limits: props.limits } : {}) } } : {}
    }
    const runControls = () => {
      if (phase.value !== 'running') return {}
      const label = t.value(cancelling.value ? 'composer.stopping' : 'composer.stop')
      const stop = { label, busy: cancelling.value, onStop }
      return { hint: composerLabels(t.value).queue_hint, stop }
    }
    return () =>
      h(
        MessageBox,
        {
          autoFocus: props.autoFocus === true,
          onSend: send,
          draft: props.draft,
          locale: t.value.locale,
          ...(props.draftKey === undefined ? {} : { draftKey: props.draftKey }),
          ...(props.complete ? { complete: props.complete } : {}),
          ...attachment(),
          isConnected: connection.value.state === 'live',
          placeholder: props.placeholder ?? t.value('composer.placeholder'),
          words: { send: t.value(phase.value === 'running' ? 'composer.queue' : 'composer.send') },
          ...runControls(),
        },
        slots,
      )
  },
  {
    name: 'Composer',
    props: {
      placeholder: String,
      autoFocus: Boolean,
      onSend: Function,
      draft: Object,
      draftKey: String,
      attach: { type: Boolean, default: true },
      limits: Object,
      complete: Function,
    } as never,
  },
)
