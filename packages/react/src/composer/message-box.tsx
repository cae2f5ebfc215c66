/** The message field without a session. Typed text and attached files stay until the server has accepted them. */
import {
  type AttachSetup,
  type Complete,
  composerLabels,
  filesOf,
  fitArea,
  isComposing,
  type MessageContent,
} from '@toolwire/core/parts'
import type { Locale } from '@toolwire/core/view'
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { Icon } from '../shared/icon.tsx'
import { AttachButton, AttachmentList } from './attachment-list.tsx'
import { CompletionMenu, completionFieldProps, useCompletion } from './completion-menu.tsx'
import { useAttachments } from './use-attachments.ts'
import { useDraft } from './use-draft.ts'

export interface Draft {
  readonly text: string
}

export interface SendMode {
  /** The user asked that the current run gets the message. */
  readonly steers: boolean
}

export interface MessageBoxProps {
  /** `content` has the attached files as well. */
  readonly onSend: (text: string, content: MessageContent, mode: SendMode) => Promise<unknown>
  readonly placeholder: string
  readonly words: { readonly send: string }
  /** Of the labels for files and suggestions; English when absent. */
  readonly locale?: Locale
  readonly autoFocus?: boolean
  /** Present while a run can be stopped. */
  readonly stop?: { readonly label: string; readonly busy: boolean; readonly onStop: () => void }
  /** A line below the field. */
  readonly hint?: string
  /** An error of an earlier attempt is cleared when this becomes true. */
  readonly isConnected?: boolean
  /** See `Composer`. */
  readonly draft?: Draft | undefined
  /** See `Composer`. */
  readonly draftKey?: string
  /** Lets the user attach, paste and drop files. */
  readonly attach?: AttachSetup
  /** Suggestions for `@` and `/`. */
  readonly complete?: Complete
  readonly children?: ReactNode
}

/** Enter sends, Shift and Enter breaks the line, Escape stops. */
export function MessageBox(props: MessageBoxProps) {
  const { stop, words, placeholder, locale = 'en' } = props
  const labels = composerLabels({ locale })
  const frame = useRef<HTMLDivElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const { files, store, isDragging } = useAttachments(props.attach, {
    frame,
    locale,
    draftKey: props.draftKey,
  })
  const { text, setText, busy, error, ready, send } = useDraft(props, { area, store, files })
  const completion = useCompletion(props.complete, { area, setText })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what it is fitted to
  useEffect(() => fitArea(area.current), [text])
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent) || completion.takeKey(event)) return
    if (event.key === 'Escape' && stop && !stop.busy) {
      event.preventDefault()
      stop.onStop()
    }
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    send({ steers: event.ctrlKey || event.metaKey })
  }
  const onPaste = (event: ClipboardEvent) => {
    const pasted = filesOf(event.clipboardData)
    // Office programs add an image of the text that was copied.
    if (!store || pasted.length === 0 || event.clipboardData.getData('text/plain') !== '') return
    event.preventDefault()
    store.add(pasted)
  }
  return (
    <div data-tw-part="composer" data-busy={busy} ref={frame}>
      {error !== '' && (
        <p data-tw-part="error" role="alert">
          {error}
        </p>
      )}
      <CompletionMenu completion={completion} labels={labels} />
      <div data-tw-part="composer-box" data-dragging={isDragging}>
        {isDragging && <p data-tw-part="drop-note">{labels.drop}</p>}
        {store && <AttachmentList files={files} store={store} locale={locale} />}
        <textarea
          ref={area}
          rows={1}
          value={text}
          placeholder={placeholder}
          aria-label={placeholder}
          enterKeyHint="send"
          onChange={event => {
            setText(event.target.value)
            completion.look(event.target)
          }}
          onSelect={event => completion.look(event.currentTarget)}
          onBlur={completion.close}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          {...completionFieldProps(completion)}
        />
        <div data-tw-part="composer-actions">
          {store && <AttachButton store={store} locale={locale} limits={props.attach?.limits} />}
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
            onClick={() => send({ steers: false })}
          >
            <Icon name="send" />
          </button>
        </div>
      </div>
      {props.hint !== undefined && <p data-tw-part="composer-hint">{props.hint}</p>}
    </div>
  )
}
