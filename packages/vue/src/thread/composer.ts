/** The message field. Typed text stays until the server has accepted it. */
import { fitArea, isComposing, readDraft, storeDraft } from '@toolwire/core/parts'
import { defineComponent, nextTick, onMounted, shallowRef, watch } from 'vue'
import { alertText } from '../approval/use-sending.ts'
import { useSessionContext } from '../session/session-context.ts'
import { useConnection, useView } from '../session/use-session.ts'
import { h } from '../shared/h.ts'
import { icon } from '../shared/icon.ts'

export interface ComposerProps {
  readonly placeholder?: string
  readonly autoFocus?: boolean
  /** In place of sending to the session. */
  readonly onSend?: (text: string) => Promise<unknown>
  /** Text to put below what was typed, once per object. Nothing is sent by it. */
  readonly draft?: Draft | undefined
  /** Keeps unsent text in this browser under this name, so that a reload does not lose it. */
  readonly draftKey?: string
}

interface Draft {
  readonly text: string
}

/** Composer of the surrounding session: sends, or stops the current run. Slot: further controls. */
export const Composer = defineComponent(
  (props: ComposerProps, { slots }) => {
    const { session, commands, t } = useSessionContext()
    const phase = useView(view => view.phase)
    const cancelling = useView(view => view.cancelling)
    const connection = useConnection()
    const send = (text: string) => (props.onSend ? props.onSend(text) : session.value.send(text))
    const onStop = () => void commands.value.cancel(session.value.id).catch(() => {})
    return () => {
      const running = phase.value === 'running'
      const label = t.value(cancelling.value ? 'composer.stopping' : 'composer.stop')
      return h(
        MessageBox,
        {
          autoFocus: props.autoFocus === true,
          onSend: send,
          draft: props.draft,
          ...(props.draftKey === undefined ? {} : { draftKey: props.draftKey }),
          isConnected: connection.value.state === 'live',
          placeholder: props.placeholder ?? t.value('composer.placeholder'),
          words: { send: t.value(running ? 'composer.queue' : 'composer.send') },
          ...(running ? { stop: { label, busy: cancelling.value, onStop } } : {}),
        },
        slots,
      )
    }
  },
  { name: 'Composer', props: ['placeholder', 'autoFocus', 'onSend', 'draft', 'draftKey'] },
)

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
}

/** The box alone, without a session. Enter sends, Shift and Enter breaks the line, Escape stops. */
export const MessageBox = defineComponent(
  (props: MessageBoxProps, { slots }) => {
    const { text, busy, error, ready, send } = useDraft(async given => {
      await props.onSend(given)
      // The page may be gone by now, and with it the watcher that stores the text.
      storeDraft(props.draftKey, '')
    })
    text.value = readDraft(props.draftKey)
    watch(text, typed => storeDraft(props.draftKey, typed))
    const area = shallowRef<HTMLTextAreaElement | null>(null)
    onMounted(() => props.autoFocus && area.value?.focus())
    watch(
      () => props.draft,
      draft => {
        if (!draft) return
        text.value = text.value === '' ? draft.text : `${text.value}\n${draft.text}`
        area.value?.focus()
      },
      { immediate: true },
    )
    watch(
      () => props.isConnected,
      isConnected => {
        if (isConnected) error.value = ''
      },
    )
    watch(text, () => void nextTick(() => fitArea(area.value)))
    const onKeydown = (event: KeyboardEvent) => {
      if (isComposing(event)) return
      if (event.key === 'Escape' && props.stop && !props.stop.busy) {
        event.preventDefault()
        props.stop.onStop()
      }
      if (event.key !== 'Enter' || event.shiftKey) return
      event.preventDefault()
      send()
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
          text.value = (event.target as HTMLTextAreaElement).value
        },
        onKeydown,
      })
    const buttons = () => {
      const { stop, words } = props
      return h('div', { 'data-tw-part': 'composer-actions' }, [
        slots['default']?.(),
        stop
          ? h(
              'button',
              { type: 'button', 'data-tw-part': 'stop', disabled: stop.busy, onClick: stop.onStop },
              [icon('square', true), h('span', stop.label)],
            )
          : null,
        h(
          'button',
          {
            type: 'button',
            'data-tw-part': 'send',
            'aria-label': words.send,
            title: words.send,
            disabled: !ready(),
            onClick: send,
          },
          [icon('send')],
        ),
      ])
    }
    return () =>
      h('div', { 'data-tw-part': 'composer', 'data-busy': busy.value }, [
        alertText(error.value),
        h('div', { 'data-tw-part': 'composer-box' }, [field(), buttons()]),
      ])
  },
  {
    name: 'MessageBox',
    props: ['onSend', 'placeholder', 'words', 'autoFocus', 'stop', 'isConnected', 'draft', 'draftKey'],
  },
)

/** A text that is sent once at a time and kept when that fails. */
function useDraft(onSend: (text: string) => Promise<unknown>) {
  const text = shallowRef('')
  const busy = shallowRef(false)
  const error = shallowRef('')
  const ready = () => !busy.value && text.value.trim() !== ''
  const send = (): void => {
    if (!ready()) return
    busy.value = true
    error.value = ''
    onSend(text.value.trim()).then(
      () => {
        busy.value = false
        text.value = ''
      },
      (thrown: unknown) => {
        busy.value = false
        error.value = thrown instanceof Error ? thrown.message : String(thrown)
      },
    )
  }
  return { text, busy, error, ready, send }
}
