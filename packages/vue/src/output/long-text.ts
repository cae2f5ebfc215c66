/** Output of any length: its beginning and its end, and all of it in a pane when asked for. */
import {
  hiddenLines,
  isCutOutput,
  LIVE_ENDS,
  OUTPUT_ENDS,
  type TextEnds,
  textEnds,
} from '@toolwire/core/parts'
import { ansiSpans } from '@toolwire/core/view'
import { computed, defineComponent, inject, type VNode } from 'vue'
import type { FullView } from '../approval/use-asked.ts'
import { TOOL_CALL } from '../call/tool-call-context.ts'
import { useSessionContext } from '../session/session-context.ts'
import { h } from '../shared/h.ts'
import { ansiText } from './ansi-text.ts'
import { FullText } from './full-text.ts'
import { OutputPane } from './output-pane.ts'
import { viewFull } from './view-full.ts'

export interface LongTextProps {
  readonly text: string
  /** All of it, where `text` is only the beginning; asked for when the pane is opened. */
  readonly whole?: (() => string) | undefined
  /** Only the last lines, for output that still grows. */
  readonly live?: boolean
  readonly ansi?: boolean
  /** Lines before the first one here. */
  readonly earlier?: number
  /** The known part of those lines, for the pane. */
  readonly older?: string
  readonly name: string
  /** Shows all of it in its place, in place of a pane. */
  readonly asked?: FullView | undefined
}

export const LongText = defineComponent(
  (props: LongTextProps) => {
    const { t, FullOutput } = useSessionContext()
    const call = inject(TOOL_CALL, undefined)?.call
    const ends = computed(() => textEnds(props.text, props.live ? LIVE_ENDS : OUTPUT_ENDS))
    const hiddenLine = (children: readonly (VNode | string)[]) =>
      h('div', { 'data-tw-part': 'output-hidden' }, [...children])
    const pane = (all: () => string) =>
      props.asked
        ? viewFull(t.value, props.asked.showFull)
        : h(OutputPane, { text: all, ansi: props.ansi === true, name: props.name })
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
      const words = between ? [hiddenLines(t.value, hidden)] : []
      const full =
        FullOutput.value && call && isCutOutput(text)
          ? h(FullOutput.value, { call: call.value })
          : pane(whole ?? (() => text))
      return [
        output(head, ansi),
        hidden > 0 || wide || whole ? hiddenLine([...words, full]) : null,
        between ? output(tail, ansi) : null,
      ]
    }
    return () =>
      props.asked?.full
        ? h(FullText, { text: props.text })
        : (props.live ? live : done)(ends.value, props.ansi === true)
  },
  { name: 'LongText', props: ['text', 'whole', 'live', 'ansi', 'earlier', 'older', 'name', 'asked'] },
)

function output(lines: readonly string[], ansi: boolean): VNode {
  const text = lines.join('\n')
  return h('pre', { 'data-tw-part': 'output' }, ansi ? [...ansiText(ansiSpans(text))] : text)
}
