/** A sent message, opened to be written again. Its files stay unless they are removed. */
import type { BranchEffects } from '@toolwire/client'
import type { ContentPart } from '@toolwire/core'
import {
  type ComposerLabels,
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
import { defineComponent, nextTick, onMounted, shallowRef, watch } from 'vue'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { h } from '../shared/h.ts'
import { icon } from '../shared/icon.ts'
import { useStore } from '../shared/use-store.ts'
import { VersionChoice } from './version-choice.ts'

interface MessageEditorProps {
  readonly message: MessageView
  readonly onClose: () => void
}

/** Enter saves and sends, Escape closes without a change. A run in progress ends with it. */
export const MessageEditor = defineComponent(
  (props: MessageEditorProps) => {
    const { session, commands, t } = useSessionContext()
    const text = shallowRef(textOf(props.message.content))
    const files = shallowRef<readonly ContentPart[]>(filesIn(props.message.content))
    const request = new VersionRequest<BranchEffects>()
    const stored = useStore(() => request)
    const isRunning = useView(view => view.phase === 'running')
    const area = shallowRef<HTMLTextAreaElement | null>(null)
    const fit = () => fitArea(area.value)
    onMounted(() => {
      fit()
      area.value?.focus()
    })
    watch(text, () => void nextTick(fit))
    const isBusy = () => stored.value?.status !== 'idle'
    const isWritten = () => text.value.trim() !== '' || files.value.length > 0
    const save = async () => {
      const { edit } = commands.value
      if (!edit || isBusy() || !isWritten()) return
      const content = toContent(text.value.trim(), files.value)
      const interrupts = isRunning.value
      const done = await request.start(effects =>
        edit(session.value.id, props.message.id, content, {
          effects,
          ...(interrupts && effects !== 'ask' ? { interrupt: true } : {}),
        }),
      )
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
    const field = (label: string) =>
      h('textarea', {
        ref: area,
        rows: 1,
        value: text.value,
        'aria-label': label,
        disabled: isBusy(),
        onInput: (event: Event) => {
          text.value = (event.target as HTMLTextAreaElement).value
        },
        onKeydown,
      })
    const actions = (label: string) =>
      h('div', { 'data-tw-part': 'form-actions' }, [
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
            disabled: isBusy() || !isWritten(),
            onClick: () => void save(),
          },
          label,
        ),
      ])
    return () => {
      const labels = composerLabels(t.value)
      const state = stored.value ?? request.getSnapshot()
      return h('div', { 'data-tw-part': 'message-editor' }, [
        field(labels.edit),
        files.value.length > 0
          ? h(
              'ul',
              { 'data-tw-part': 'attachments', 'aria-label': labels.files },
              files.value.map((part, index) => {
                const onRemove = () => {
                  files.value = files.value.filter(one => one !== part)
                }
                return fileRow({ name: nameOf(part), index, onRemove }, labels)
              }),
            )
          : null,
        h(VersionChoice, { request, state, onDone: props.onClose }),
        state.status === 'choosing' ? null : actions(labels.save_and_send),
      ])
    }
  },
  { name: 'MessageEditor', props: ['message', 'onClose'] },
)

const nameOf = (part: ContentPart): string => (part.type === 'text' ? '' : fileFacts(part).name)

interface FileRow {
  readonly name: string
  readonly index: number
  readonly onRemove: () => void
}

const fileRow = ({ name, index, onRemove }: FileRow, labels: ComposerLabels) =>
  h('li', { key: index, 'data-tw-part': 'attachment' }, [
    icon('file'),
    h('span', { 'data-tw-part': 'attachment-name' }, name),
    h(
      'button',
      {
        type: 'button',
        'data-tw-part': 'attachment-remove',
        'aria-label': fillLabel(labels.remove, { name }),
        onClick: onRemove,
      },
      [icon('close')],
    ),
  ])
