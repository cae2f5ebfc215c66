/** One field and two buttons. Enter sends a single line, Ctrl or Cmd with Enter a longer text. */
import { isComposing } from '@toolwire/core/parts'
import { defineComponent, onMounted, shallowRef, useId } from 'vue'
import { markedValue } from '../output/marked-value.ts'
import { useSessionContext } from '../session/session-context.ts'
import { h } from '../shared/h.ts'

export interface TextFormProps {
  readonly label: string
  readonly submit: string
  readonly busy: boolean
  readonly onSubmit: (text: string) => void
  readonly onCancel?: () => void
  readonly initial?: string
  readonly rows?: number
  readonly mono?: boolean
  readonly danger?: boolean
  /** Opened by a button, so the next key belongs to it. */
  readonly focus?: boolean
  /** May be left empty. */
  readonly optional?: boolean
  /** A problem with the text, in words. */
  readonly check?: (text: string) => string | undefined
}

export const TextForm = defineComponent(
  (props: TextFormProps, { slots }) => {
    const { t } = useSessionContext()
    const text = shallowRef(props.initial ?? '')
    const area = shallowRef<HTMLTextAreaElement | null>(null)
    const id = useId()
    onMounted(() => props.focus && area.value?.focus())
    const problem = () => props.check?.(text.value)
    const ready = () =>
      !props.busy && problem() === undefined && (props.optional === true || text.value.trim() !== '')
    const submit = (event: Event) => {
      event.preventDefault()
      if (ready()) props.onSubmit(text.value.trim())
    }
    const onKeydown = (event: KeyboardEvent) => {
      if (event.key === 'Escape') props.onCancel?.()
      if (event.key !== 'Enter' || isComposing(event) || event.shiftKey) return
      if ((props.rows ?? 1) === 1 || event.metaKey || event.ctrlKey) submit(event)
    }
    const field = () =>
      h('textarea', {
        ref: area,
        id,
        rows: props.rows ?? 1,
        value: text.value,
        'data-mono': props.mono === true,
        'aria-invalid': problem() !== undefined,
        spellcheck: props.mono ? 'false' : 'true',
        onInput: (event: Event) => {
          text.value = (event.target as HTMLTextAreaElement).value
        },
        onKeydown,
      })
    return () => {
      const wrong = problem()
      const { busy, onCancel } = props
      return h('form', { 'data-tw-part': 'form', 'data-danger': props.danger === true, onSubmit: submit }, [
        h('label', { for: id }, props.label),
        field(),
        markedValue(text.value, t.value),
        wrong === undefined ? null : h('p', { 'data-tw-part': 'error' }, wrong),
        slots['default']?.(),
        h('div', { 'data-tw-part': 'form-actions' }, [
          h(
            'button',
            { type: 'submit', 'data-tw-part': 'submit', disabled: !ready() },
            busy ? t.value('approval.sending') : props.submit,
          ),
          onCancel
            ? h(
                'button',
                { type: 'button', 'data-tw-part': 'back', disabled: busy, onClick: onCancel },
                t.value('common.cancel'),
              )
            : null,
        ]),
      ])
    }
  },
  {
    name: 'TextForm',
    props: [
      'label',
      'submit',
      'busy',
      'onSubmit',
      'onCancel',
      'initial',
      'rows',
      'mono',
      'danger',
      'focus',
      'optional',
      'check',
    ],
  },
)
