/** The assistant's text, and thinking behind a line that opens. */
import type { BlockView } from '@toolwire/core/view'
import { defineComponent } from 'vue'
import { LongText } from '../output/long-text.ts'
import { useSessionContext } from '../session/session-context.ts'
import { h } from '../shared/h.ts'
import { icon } from '../shared/icon.ts'

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

/** Longer thinking is drawn in part, with a pane for the rest. */
const WHOLE = 20_000

/** Folded by default. The default slot gets `block`. */
export const ThinkingBlock = defineComponent(
  (props: TextBlockProps, { slots }) => {
    const { t } = useSessionContext()
    return () => {
      const { block } = props
      const { state, text, call } = block
      const id = call === undefined ? undefined : `call-${call}`
      return h(
        'details',
        { 'data-tw-part': 'thinking', id, 'data-state': state, 'data-tw-state': state },
        slots['default']?.({ block }) ?? [
          h('summary', [icon('think'), t.value('message.thinking')]),
          text.length > WHOLE ? h(LongText, { text, name: t.value('message.thinking') }) : h('p', text),
        ],
      )
    }
  },
  { name: 'ThinkingBlock', props: ['block'] },
)
