/** Output of any length: its beginning and its end, and all of it in a pane when asked for. */
import { type TextEnds, textEnds } from '@toolwire/core/parts'
import { ansiSpans } from '@toolwire/core/view'
import { computed, defineComponent, h, type VNode } from 'vue'
import { ansiText } from './ansi-text.ts'
import { OutputPane } from './output-pane.ts'
import { useSessionContext } from './session-context.ts'

const LIVE = { head: 0, tail: 8 }
const DONE = { head: 20, tail: 10, spare: 5 }

export interface LongTextProps {
  readonly text: string
  /** All of it, where `text` is only the beginning; asked for when the pane is opened. */
  readonly whole?: (() => string) | undefined
  /** Only the last lines, for output that still grows. */
  readonly live?: boolean
  readonly ansi?: boolean
  /** Lines before the first one here. */
  readonly earlier?: number
  /** What is known of those lines, for the pane. */
  readonly older?: string
  readonly name: string
}

export const LongText = defineComponent(
  (props: LongTextProps) => {
    const { t } = useSessionContext()
    const ends = computed(() => textEnds(props.text, props.live ? LIVE : DONE))
    const hiddenLine = (children: readonly (VNode | string)[]) =>
      h('div', { 'data-tw-part': 'output-hidden' }, [...children])
    const pane = (all: () => string) =>
      h(OutputPane, { text: all, ansi: props.ansi === true, name: props.name })
    const live = ({ head, tail, hidden }: TextEnds, ansi: boolean) => {
      const before = hidden + (props.earlier ?? 0)
      const words = t.value('call.earlier_lines', { n: before })
      return [
        before > 0 ? hiddenLine([words, pane(() => (props.older ?? '') + props.text)]) : null,
        output(hidden > 0 ? tail : head, ansi),
      ]
    }
    const done = ({ head, tail, hidden, wide }: TextEnds, ansi: boolean) => {
      const { text, whole } = props
      const between = hidden > 0 && !whole
      const words = between ? [t.value('call.lines', { n: hidden })] : []
      return [
        output(head, ansi),
        hidden > 0 || wide || whole ? hiddenLine([...words, pane(whole ?? (() => text))]) : null,
        between ? output(tail, ansi) : null,
      ]
    }
    return () => (props.live ? live : done)(ends.value, props.ansi === true)
  },
  { name: 'LongText', props: ['text', 'whole', 'live', 'ansi', 'earlier', 'older', 'name'] },
)

function output(lines: readonly string[], ansi: boolean): VNode {
  const text = lines.join('\n')
  return h('pre', { 'data-tw-part': 'output' }, ansi ? [...ansiText(ansiSpans(text))] : text)
}
