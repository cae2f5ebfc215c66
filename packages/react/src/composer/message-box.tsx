/** The message field without a session. Typed text and attached files stay until the server has accepted them. */
import { composerLabels, filesOf, fitArea, isComposing } from '@toolwire/core/parts'
import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef } from 'react'
import { Icon } from '../shared/icon.tsx'
import { AttachButton, AttachmentList } from './attachment-list.tsx'
import { CompletionMenu, completionFieldProps, useCompletion } from './completion-menu.tsx'
import type { MessageBoxProps } from './message-box-props.ts'
import { useAttachments } from './use-attachments.ts'
import { useDraft } from './use-draft.ts'

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
            completion.update(event.target)
          }}
          onSelect={event => completion.update(event.currentTarget)}
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
