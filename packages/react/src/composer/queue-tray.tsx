/** Messages that wait for a run: edited, moved, sent to the current run, or removed. */
import {
  composerLabels,
  fileFacts,
  filesIn,
  isComposing,
  keepList,
  queuedByUser,
  toContent,
} from '@toolwire/core/parts'
import { type MessageView, textOf } from '@toolwire/core/view'
import { type KeyboardEvent, useRef, useState } from 'react'
import { type SessionCommands, useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { Icon } from '../shared/icon.tsx'

/** Draws nothing while no message waits, and where the commands cannot change the queue. */
export function QueueTray() {
  const { session, commands, t } = useSessionContext()
  const last = useRef<readonly MessageView[]>([])
  const queue = useView(view => {
    last.current = keepList(last.current, queuedByUser(view))
    return last.current
  })
  const { changeQueued, withdraw } = commands
  const [error, setError] = useState('')
  if (queue.length === 0 || !changeQueued || !withdraw) return null
  const labels = composerLabels(t)
  const act: QueueAct = async work => {
    setError('')
    try {
      await work()
      return true
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : String(thrown))
      return false
    }
  }
  const isHeld = queue.some(message => message.is_held)
  return (
    <section data-tw-part="queue-tray" aria-label={labels.queue}>
      {isHeld && commands.resumeQueue && (
        <p data-tw-part="queue-held">
          <span>{labels.held}</span>
          <button
            type="button"
            data-tw-part="queue-resume"
            onClick={() => void act(async () => await commands.resumeQueue?.(session.id))}
          >
            {labels.resume}
          </button>
        </p>
      )}
      <ol>
        {queue.map((message, index) => (
          <QueueRow
            key={message.id}
            message={message}
            position={{ index, last: queue.length - 1 }}
            commands={{ changeQueued, withdraw }}
            act={act}
          />
        ))}
      </ol>
      {error !== '' && (
        <p data-tw-part="error" role="alert">
          {error}
        </p>
      )}
    </section>
  )
}

/** True when it was done; an error is shown below the list. */
type QueueAct = (work: () => Promise<unknown>) => Promise<boolean>

interface QueueRowProps {
  readonly message: MessageView
  readonly position: { readonly index: number; readonly last: number }
  readonly commands: Required<Pick<SessionCommands, 'changeQueued' | 'withdraw'>>
  readonly act: QueueAct
}

function QueueRow({ message, position, commands, act }: QueueRowProps) {
  const { session, t } = useSessionContext()
  const [isEditing, setEditing] = useState(false)
  const isRunning = useView(view => view.phase === 'running')
  const labels = composerLabels(t)
  const { index, last } = position
  const change = (patch: Parameters<typeof commands.changeQueued>[2]) =>
    act(() => commands.changeQueued(session.id, message.id, patch))
  if (isEditing) return <QueueEditor message={message} change={change} onClose={() => setEditing(false)} />
  const button = (
    part: string,
    label: string,
    icon: Parameters<typeof Icon>[0]['name'],
    onClick: () => void,
  ) => (
    <button type="button" data-tw-part={part} aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  )
  return (
    <li data-tw-part="queued" data-held={message.is_held === true}>
      <span data-tw-part="queued-text">{previewOf(message)}</span>
      <span data-tw-part="queued-actions">
        {isRunning && (
          <button
            type="button"
            data-tw-part="queue-send"
            onClick={() => void change({ when_running: 'steer' })}
          >
            {labels.send_now}
          </button>
        )}
        {button('queue-edit', labels.edit, 'pencil', () => setEditing(true))}
        {index > 0 && button('queue-up', labels.up, 'up', () => void change({ position: index - 1 }))}
        {index < last &&
          button('queue-down', labels.down, 'down', () => void change({ position: index + 1 }))}
        {button('queue-remove', labels.withdraw, 'close', () => {
          void act(() => commands.withdraw(session.id, message.id))
        })}
      </span>
    </li>
  )
}

interface QueueEditorProps {
  readonly message: MessageView
  readonly change: (patch: {
    readonly message: ReturnType<typeof toContent>
    readonly if_revision?: number
  }) => Promise<boolean>
  readonly onClose: () => void
}

/** Files stay. A message that was changed elsewhere meanwhile is refused by the server. */
function QueueEditor({ message, change, onClose }: QueueEditorProps) {
  const { t } = useSessionContext()
  const labels = composerLabels(t)
  const [text, setText] = useState(() => textOf(message.content))
  const [revision] = useState(message.revision)
  const files = filesIn(message.content)
  const isWritten = text.trim() !== '' || files.length > 0
  const save = async () => {
    if (!isWritten) return
    const done = await change({
      message: toContent(text.trim(), files),
      ...(revision === undefined ? {} : { if_revision: revision }),
    })
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
    <li data-tw-part="queued" data-held={message.is_held === true}>
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the user asked to edit it
        autoFocus
        rows={2}
        value={text}
        aria-label={labels.edit}
        onChange={event => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span data-tw-part="queued-actions">
        <button type="button" data-tw-part="back" onClick={onClose}>
          {t('common.cancel')}
        </button>
        <button type="button" data-tw-part="submit" disabled={!isWritten} onClick={() => void save()}>
          {labels.save}
        </button>
      </span>
    </li>
  )
}

/** Its text, or the names of its files. */
function previewOf({ content }: MessageView): string {
  const names = content.flatMap(part => (part.type === 'text' ? [] : fileFacts(part).name))
  return [textOf(content), ...names].filter(Boolean).join(' · ')
}
