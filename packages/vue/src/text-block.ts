/** What the assistant wrote: text, and thinking behind a line that opens. */
import type { BlockView } from '@toolwire/core/view'
import { defineComponent, h } from 'vue'
import { icon } from './icon.ts'
import { useSessionContext } from './session-context.ts'

export interface TextBlockProps {
  readonly block: BlockView
}

/** Drawn by the page's own `text`, which must not trust it. The default slot gets `block`. */
export const TextBlock = defineComponent(
  (props: TextBlockProps, { slots }) => {
    const { Text } = useSessionContext()
    return () => {
      const { block } = props
      const { state, text } = block
      return h(
        'div',
        { 'data-tw-part': 'text', 'data-state': state, 'data-tw-state': state },
        slots['default']?.({ block }) ?? [h(Text.value, { text, streaming: state === 'streaming' })],
      )
    }
  },
  { name: 'TextBlock', props: ['block'] },
)

/** Folded until somebody opens it. The default slot gets `block`. */
export const ThinkingBlock = defineComponent(
  (props: TextBlockProps, { slots }) => {
    const { t } = useSessionContext()
    return () => {
      const { block } = props
      const { state, text } = block
      return h(
        'details',
        { 'data-tw-part': 'thinking', 'data-state': state, 'data-tw-state': state },
        slots['default']?.({ block }) ?? [
          h('summary', [icon('think'), t.value('message.thinking')]),
          h('p', text),
        ],
      )
    }
  },
  { name: 'ThinkingBlock', props: ['block'] },
)
