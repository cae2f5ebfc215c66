/** Copies a text and says so. */
import { defineComponent, h, onScopeDispose, shallowRef } from 'vue'
import { icon } from './icon.ts'
import { useSessionContext } from './session-context.ts'

export interface CopyButtonProps {
  /** A function is asked when the button is pressed: for what takes long to make. */
  readonly text: string | (() => string)
  readonly label?: string
}

export const CopyButton = defineComponent(
  (props: CopyButtonProps) => {
    const { t } = useSessionContext()
    const copied = shallowRef(false)
    let timer: ReturnType<typeof setTimeout> | undefined
    onScopeDispose(() => clearTimeout(timer))
    // Without permission nothing is copied, and the button goes on saying "Copy".
    const copy = () =>
      void navigator.clipboard?.writeText(typeof props.text === 'string' ? props.text : props.text()).then(
        () => {
          copied.value = true
          clearTimeout(timer)
          timer = setTimeout(() => {
            copied.value = false
          }, 1500)
        },
        () => {},
      )
    return () => {
      const words = t.value(copied.value ? 'call.copied' : 'call.copy')
      return h(
        'button',
        {
          type: 'button',
          'data-tw-part': 'copy',
          'data-copied': copied.value,
          onClick: copy,
          title: props.label ?? words,
        },
        [icon(copied.value ? 'check' : 'copy'), h('span', words)],
      )
    }
  },
  { name: 'CopyButton', props: ['text', 'label'] },
)
