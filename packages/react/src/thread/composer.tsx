/** The message field. Typed text stays until the server has accepted it. */
import { fitArea, isComposing, readDraft, storeDraft } from '@toolwire/core/parts'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useSessionContext } from '../session/session-context.ts'
import { useConnection, useView } from '../session/use-session.ts'
import { Icon } from '../shared/icon.tsx'

export interface ComposerProps {
  readonly placeholder?: string
  readonly autoFocus?: boolean
  /** In place of sending to the session. */
  readonly onSend?: (text: string) => Promise<unknown>
  /** Text to put below what was typed, once per object. Nothing is sent by it. */
  readonly draft?: Draft | undefined
  /** Keeps unsent text in this browser under this name, so that a reload does not lose it. */
  readonly draftKey?: string
  /** Further controls, beside the button. */
  readonly children?: ReactNode
}

interface Draft {
  readonly text: string
}

/** Composer of the surrounding session: sends, or stops the current run. */
export function Composer(props: ComposerProps) {
  const { session, commands, t } = useSessionContext()
  const phase = useView(view => view.phase)
  const cancelling = useView(view => view.cancelling)
  const send = props.onSend ?? ((text: string) => session.send(text))
  const { state } = useConnection()
  const stop = () => void commands.cancel(session.id).catch(() => {})
  return (
    <MessageBox
      {...props}
      onSend={send}
      isConnected={state === 'live'}
      placeholder={props.placeholder ?? t('composer.placeholder')}
      words={{ send: t(phase === 'running' ? 'composer.queue' : 'composer.send') }}
      {...(phase === 'running'
        ? {
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

export interface MessageBoxProps {
  readonly onSend: (text: string) => Promise<unknown>
  readonly placeholder: string
  readonly words: { readonly send: string }
  readonly autoFocus?: boolean
  /** Present while a run can be stopped. */
  readonly stop?: { readonly label: string; readonly busy: boolean; readonly onStop: () => void }
  /** An error of an earlier attempt is cleared when this becomes true. */
  readonly isConnected?: boolean
  /** See `Composer`. */
  readonly draft?: Draft | undefined
  /** See `Composer`. */
  readonly draftKey?: string
  readonly children?: ReactNode
}

/** The box alone, without a session. Enter sends, Shift and Enter breaks the line, Escape stops. */
export function MessageBox(props: MessageBoxProps) {
  const { stop, words, placeholder } = props
  const { draftKey } = props
  const [text, setText] = useState(() => readDraft(draftKey))
  useEffect(() => storeDraft(draftKey, text), [draftKey, text])
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (props.autoFocus) area.current?.focus()
  }, [props.autoFocus])
  const { draft, isConnected } = props
  useEffect(() => {
    if (isConnected) setError('')
  }, [isConnected])
  useEffect(() => {
    if (!draft) return
    setText(typed => (typed === '' ? draft.text : `${typed}\n${draft.text}`))
    area.current?.focus()
  }, [draft])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what it is fitted to
  useEffect(() => fitArea(area.current), [text])
  const ready = !busy && text.trim() !== ''
  const send = () => {
    if (!ready) return
    setBusy(true)
    setError('')
    props.onSend(text.trim()).then(
      () => {
        // The page may be gone by now, and with it the effect that stores the text.
        storeDraft(draftKey, '')
        setBusy(false)
        setText('')
      },
      (thrown: unknown) => {
        setBusy(false)
        setError(thrown instanceof Error ? thrown.message : String(thrown))
      },
    )
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return
    if (event.key === 'Escape' && stop && !stop.busy) {
      event.preventDefault()
      stop.onStop()
    }
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    send()
  }
  return (
    <div data-tw-part="composer" data-busy={busy}>
      {error !== '' && (
        <p data-tw-part="error" role="alert">
          {error}
        </p>
      )}
      <div data-tw-part="composer-box">
        <textarea
          ref={area}
          rows={1}
          value={text}
          placeholder={placeholder}
          aria-label={placeholder}
          enterKeyHint="send"
          onChange={event => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <div data-tw-part="composer-actions">
          {props.children}
          {stop && (
            <button type="button" data-tw-part="stop" disabled={stop.busy} onClick={stop.onStop}>
              <Icon name="square" filled />
              <span>{stop.label}</span>
            </button>
          )}
          <button
            type="button"
            data-tw-part="send"
            aria-label={words.send}
            title={words.send}
            disabled={!ready}
            onClick={send}
          >
            <Icon name="send" />
          </button>
        </div>
      </div>
    </div>
  )
}
