/** A sent message, opened to be written again. Its files stay unless they are removed. */
import type { BranchEffects } from '@toolwire/client'
import type { ContentPart } from '@toolwire/core'
import {
  composerLabels,
  fileFacts,
  filesIn,
  fillLabel,
  fitArea,
  isComposing,
  toContent,
  VersionRequest,
} from '@toolwire/core/parts'
import { type MessageView, textOf } from '@toolwire/core/view'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { Icon } from '../shared/icon.tsx'
import { useStore } from '../shared/use-store.ts'
import { VersionChoice } from './version-choice.tsx'

interface MessageEditorProps {
  readonly message: MessageView
  readonly onClose: () => void
}

/** Enter saves and sends, Escape closes without a change. A run in progress ends with it. */
export function MessageEditor({ message, onClose }: MessageEditorProps) {
  const { session, commands, t } = useSessionContext()
  const labels = composerLabels(t)
  const [text, setText] = useState(() => textOf(message.content))
  const [files, setFiles] = useState<readonly ContentPart[]>(() => filesIn(message.content))
  const [request] = useState(() => new VersionRequest<BranchEffects>())
  const state = useStore(request)
  const isRunning = useView(view => view.phase === 'running')
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    area.current?.focus()
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what it is fitted to
  useEffect(() => fitArea(area.current), [text])
  const isBusy = state.status !== 'idle'
  const isWritten = text.trim() !== '' || files.length > 0
  const save = async () => {
    const { edit } = commands
    if (!edit || isBusy || !isWritten) return
    const content = toContent(text.trim(), files)
    const done = await request.start(effects =>
      edit(session.id, message.id, content, {
        effects,
        ...(isRunning && effects !== 'ask' ? { interrupt: true } : {}),
      }),
    )
    if (done) onClose()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return
    if (event.key === 'Escape') {
      event.preventDefault()
      event.stopPropagation()
      onClose()
    }
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    void save()
  }
  return (
    <div data-tw-part="message-editor">
      <textarea
        ref={area}
        rows={1}
        value={text}
        aria-label={labels.edit}
        disabled={isBusy}
        onChange={event => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {files.length > 0 && (
        <ul data-tw-part="attachments" aria-label={labels.files}>
          {files.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no ids
            <li key={index} data-tw-part="attachment">
              <Icon name="file" />
              <span data-tw-part="attachment-name">{nameOf(part)}</span>
              <button
                type="button"
                data-tw-part="attachment-remove"
                aria-label={fillLabel(labels.remove, { name: nameOf(part) })}
                onClick={() => setFiles(files.filter(one => one !== part))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <VersionChoice request={request} state={state} onDone={onClose} />
      {state.status !== 'choosing' && (
        <div data-tw-part="form-actions">
          <button type="button" data-tw-part="back" onClick={onClose}>
            {t('common.cancel')}
          </button>
          <button
            type="button"
            data-tw-part="submit"
            disabled={isBusy || !isWritten}
            onClick={() => void save()}
          >
            {labels.save_and_send}
          </button>
        </div>
      )}
    </div>
  )
}

const nameOf = (part: ContentPart): string => (part.type === 'text' ? '' : fileFacts(part).name)
