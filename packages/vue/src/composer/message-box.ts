/** The message field without a session. Typed text and attached files stay until the server has accepted them. */
import { composerLabels, filesOf, fitArea, isComposing } from '@toolwire/core/parts'
import { defineComponent, nextTick, onMounted, shallowRef, watch } from 'vue'
import { alertText } from '../approval/use-sending.ts'
import { h } from '../shared/h.ts'
import { icon } from '../shared/icon.ts'
import { AttachButton, AttachmentList } from './attachment-list.ts'
import { CompletionMenu, completionFieldProps, useCompletion } from './completion-menu.ts'
import type { MessageBoxProps } from './message-box-props.ts'
import { useAttachments } from './use-attachments.ts'
import { useDraft } from './use-draft.ts'

/** Enter sends, Shift and Enter breaks the line, Escape stops. Slot: further controls. */
export const MessageBox = defineComponent(
  (props: MessageBoxProps, { slots }) => {
    const frame = shallowRef<HTMLElement | null>(null)
    const area = shallowRef<HTMLTextAreaElement | null>(null)
    const attached = useAttachments(props, frame)
    const { text, busy, error, ready, send } = useDraft(props, { area, ...attached })
    const completion = useCompletion(() => props.complete, { area, text })
    onMounted(() => fitArea(area.value))
    watch(text, () => void nextTick(() => fitArea(area.value)))
    const onKeydown = (event: KeyboardEvent) => {
      if (isComposing(event) || completion.takeKey(event)) return
      if (event.key === 'Escape' && props.stop && !props.stop.busy) {
        event.preventDefault()
        props.stop.onStop()
      }
      if (event.key !== 'Enter' || event.shiftKey) return
      event.preventDefault()
      send({ steers: event.ctrlKey || event.metaKey })
    }
    const onPaste = (event: ClipboardEvent) => {
      const pasted = filesOf(event.clipboardData)
      const { value: store } = attached.store
      // Office programs add an image of the text that was copied.
      if (!store || pasted.length === 0 || event.clipboardData?.getData('text/plain') !== '') return
      event.preventDefault()
      store.add(pasted)
    }
    const field = () =>
      h('textarea', {
        ref: area,
        rows: 1,
        value: text.value,
        placeholder: props.placeholder,
        'aria-label': props.placeholder,
        enterkeyhint: 'send',
        onInput: (event: Event) => {
          const target = event.target as HTMLTextAreaElement
          text.value = target.value
          completion.update(target)
        },
        onSelect: (event: Event) => completion.update(event.target as HTMLTextAreaElement),
        onBlur: completion.close,
        onKeydown,
        onPaste,
        ...completionFieldProps(completion),
      })
    const buttons = () => {
      const { stop, words, locale = 'en', attach } = props
      const { value: store } = attached.store
      return h('div', { 'data-tw-part': 'composer-actions' }, [
        store ? h(AttachButton, { store, locale, limits: attach?.limits }) : null,
        slots['default']?.(),
        stop ? stopButton(stop) : null,
        sendButton(words.send, !ready(), () => send({ steers: false })),
      ])
    }
    return () => {
      const { locale = 'en', hint } = props
      const labels = composerLabels({ locale })
      const { value: store } = attached.store
      const isDragging = attached.isDragging.value
      return h('div', { 'data-tw-part': 'composer', 'data-busy': busy.value, ref: frame }, [
        alertText(error.value),
        h(CompletionMenu, { completion, labels }),
        h('div', { 'data-tw-part': 'composer-box', 'data-dragging': isDragging }, [
          isDragging ? h('p', { 'data-tw-part': 'drop-note' }, labels.drop) : null,
          store ? h(AttachmentList, { files: attached.files.value ?? [], store, locale }) : null,
          field(),
          buttons(),
        ]),
        hint === undefined ? null : h('p', { 'data-tw-part': 'composer-hint' }, hint),
      ])
    }
  },
  {
    name: 'MessageBox',
    props: [
      'onSend',
      'placeholder',
      'words',
      'locale',
      'autoFocus',
      'stop',
      'hint',
      'isConnected',
      'draft',
      'draftKey',
      'attach',
      'complete',
    ],
  },
)

const stopButton = (stop: NonNullable<MessageBoxProps['stop']>) =>
  h('button', { type: 'button', 'data-tw-part': 'stop', disabled: stop.busy, onClick: stop.onStop }, [
    icon('square', true),
    h('span', stop.label),
  ])

const sendButton = (label: string, disabled: boolean, onClick: () => void) =>
  h(
    'button',
    { type: 'button', 'data-tw-part': 'send', 'aria-label': label, title: label, disabled, onClick },
    [icon('send')],
  )
