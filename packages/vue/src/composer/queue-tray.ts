/** Messages that wait for a run: edited, moved, sent to the current run, or removed. */
import {
  composerLabels,
  fileFacts,
  filesIn,
  type IconName,
  isComposing,
  keepList,
  queuedByUser,
  toContent,
} from '@toolwire/core/parts'
import { type MessageView, textOf } from '@toolwire/core/view'
import { defineComponent, onMounted, shallowRef } from 'vue'
import { alertText } from '../approval/use-sending.ts'
import { type SessionCommands, useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { h } from '../shared/h.ts'
import { icon } from '../shared/icon.ts'

/** Draws nothing while no message waits, and where the commands cannot change the queue. */
export const QueueTray = defineComponent(
  () => {
    const { session, commands, t } = useSessionContext()
    let last: readonly MessageView[] = []
    const queue = useView(view => {
      last = keepList(last, queuedByUser(view))
      return last
    })
    const error = shallowRef('')
    const act: QueueAct = async work => {
      error.value = ''
      try {
        await work()
        return true
      } catch (thrown) {
        error.value = thrown instanceof Error ? thrown.message : String(thrown)
        return false
      }
    }
    return () => {
      const { changeQueued, withdraw, resumeQueue } = commands.value
      const messages = queue.value
      if (messages.length === 0 || !changeQueued || !withdraw) return null
      const labels = composerLabels(t.value)
      const isHeld = messages.some(message => message.is_held)
      const resume = () => void act(async () => await resumeQueue?.(session.value.id))
      return h('section', { 'data-tw-part': 'queue-tray', 'aria-label': labels.queue }, [
        isHeld && resumeQueue
          ? h('p', { 'data-tw-part': 'queue-held' }, [
              h('span', labels.held),
              h('button', { type: 'button', 'data-tw-part': 'queue-resume', onClick: resume }, labels.resume),
            ])
          : null,
        h(
          'ol',
          messages.map((message, index) =>
            h(QueueRow, {
              key: message.id,
              message,
              position: { index, last: messages.length - 1 },
              commands: { changeQueued, withdraw },
              act,
            }),
          ),
        ),
        alertText(error.value),
      ])
    }
  },
  { name: 'QueueTray' },
)

/** True when it was done; an error is shown below the list. */
type QueueAct = (work: () => Promise<unknown>) => Promise<boolean>

interface QueueRowProps {
  readonly message: MessageView
  readonly position: { readonly index: number; readonly last: number }
  readonly commands: Required<Pick<SessionCommands, 'changeQueued' | 'withdraw'>>
  readonly act: QueueAct
}

const QueueRow = defineComponent(
  (props: QueueRowProps) => {
    const { session, t } = useSessionContext()
    const isEditing = shallowRef(false)
    const isRunning = useView(view => view.phase === 'running')
    const change = (patch: Parameters<QueueRowProps['commands']['changeQueued']>[2]) =>
      props.act(() => props.commands.changeQueued(session.value.id, props.message.id, patch))
    const setEditing = (value: boolean) => {
      isEditing.value = value
    }
    const button = (part: string, label: string, name: IconName, onClick: () => void) =>
      h('button', { type: 'button', 'data-tw-part': part, 'aria-label': label, title: label, onClick }, [
        icon(name),
      ])
    return () => {
      const { message, position, act, commands } = props
      if (isEditing.value) return h(QueueEditor, { message, change, onClose: () => setEditing(false) })
      const labels = composerLabels(t.value)
      const { index, last } = position
      const sendNow = () => void change({ when_running: 'steer' })
      return h('li', { 'data-tw-part': 'queued', 'data-held': message.is_held === true }, [
        h('span', { 'data-tw-part': 'queued-text' }, previewOf(message)),
        h('span', { 'data-tw-part': 'queued-actions' }, [
          isRunning.value
            ? h('button', { type: 'button', 'data-tw-part': 'queue-send', onClick: sendNow }, labels.send_now)
            : null,
          button('queue-edit', labels.edit, 'pencil', () => setEditing(true)),
          index > 0 ? button('queue-up', labels.up, 'up', () => void change({ position: index - 1 })) : null,
          index < last
            ? button('queue-down', labels.down, 'down', () => void change({ position: index + 1 }))
            : null,
          button('queue-remove', labels.withdraw, 'close', () => {
            void act(() => commands.withdraw(session.value.id, message.id))
          }),
        ]),
      ])
    }
  },
  { name: 'QueueRow', props: ['message', 'position', 'commands', 'act'] },
)

interface QueueEditorProps {
  readonly message: MessageView
  readonly change: (patch: {
    readonly message: ReturnType<typeof toContent>
    readonly if_revision?: number
  }) => Promise<boolean>
  readonly onClose: () => void
}

/** Files stay. A message that was changed elsewhere meanwhile is refused by the server. */
const QueueEditor = defineComponent(
  (props: QueueEditorProps) => {
    const { t } = useSessionContext()
    const text = shallowRef(textOf(props.message.content))
    const { revision } = props.message
    const area = shallowRef<HTMLTextAreaElement | null>(null)
    onMounted(() => area.value?.focus())
    const isWritten = () => text.value.trim() !== '' || filesIn(props.message.content).length > 0
    const save = async () => {
      if (!isWritten()) return
      const done = await props.change({
        message: toContent(text.value.trim(), filesIn(props.message.content)),
        ...(revision === undefined ? {} : { if_revision: revision }),
      })
      if (done) props.onClose()
    }
    const onKeydown = (event: KeyboardEvent) => {
      if (isComposing(event)) return
      if (event.key === 'Escape') {
        event.preventDefault()
        event.stopPropagation()
        props.onClose()
      }
      if (event.key !== 'Enter' || event.shiftKey) return
      event.preventDefault()
      void save()
    }
    return () => {
      const labels = composerLabels(t.value)
      return h('li', { 'data-tw-part': 'queued', 'data-held': props.message.is_held === true }, [
        h('textarea', {
          ref: area,
          rows: 2,
          value: text.value,
          'aria-label': labels.edit,
          onInput: (event: Event) => {
            text.value = (event.target as HTMLTextAreaElement).value
          },
          onKeydown,
        }),
        h('span', { 'data-tw-part': 'queued-actions' }, [
          h(
            'button',
            { type: 'button', 'data-tw-part': 'back', onClick: props.onClose },
            t.value('common.cancel'),
          ),
          h(
            'button',
            {
              type: 'button',
              'data-tw-part': 'submit',
              disabled: !isWritten(),
              onClick: () => void save(),
            },
            labels.save,
          ),
        ]),
      ])
    }
  },
  { name: 'QueueEditor', props: ['message', 'change', 'onClose'] },
)

/** Its text, or the names of its files. */
function previewOf({ content }: MessageView): string {
  const names = content.flatMap(part => (part.type === 'text' ? [] : fileFacts(part).name))
  return [textOf(content), ...names].filter(Boolean).join(' · ')
}
