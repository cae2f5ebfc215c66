/** Copies a text and says so. */
import { defineComponent } from 'vue'
import { useSessionContext } from '../session/session-context.ts'
import { h } from './h.ts'
import { icon } from './icon.ts'
import { useCopy } from './use-copy.ts'

export interface CopyButtonProps {
  /** A function is asked when the button is pressed: for what takes long to make. */
  readonly text: string | (() => string)
  readonly label?: string
}

/** Keeps the label "Copy" if the browser does not allow it. */
export const CopyButton = defineComponent(
  (props: CopyButtonProps) => {
    const { t } = useSessionContext()
    const { copied, copy } = useCopy(() => (typeof props.text === 'string' ? props.text : props.text()))
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
