/** Output of any length: its beginning and its end, and all of it in a pane when asked for. */
import { breakLines, fileNameOf, type TextEnds, textEnds, toLines } from '@toolwire/core/parts'
import { ansiSpans } from '@toolwire/core/view'
import { computed, defineComponent, h, shallowRef, type VNode } from 'vue'
import { ansiText } from './ansi-text.ts'
import { CopyButton } from './copy-button.ts'
import { icon } from './icon.ts'
import { useSessionContext } from './session-context.ts'

const LIVE = { head: 0, tail: 8 }
const DONE = { head: 20, tail: 10, spare: 5 }
/** Lines per piece of the pane: the browser lays out only the pieces that are in sight. */
const PIECE = 200

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

function output(lines: readonly string[], ansi: boolean, key?: number): VNode {
  const text = lines.join('\n')
  return h('pre', { 'data-tw-part': 'output', key }, ansi ? [...ansiText(ansiSpans(text))] : text)
}

interface PaneProps {
  readonly text: () => string
  readonly ansi: boolean
  readonly name: string
}

/** A button that shows all of a text. Its content exists only while it is open, and is that of the moment in which it was opened. */
export const OutputPane = defineComponent(
  (props: PaneProps) => {
    const { t } = useSessionContext()
    const dialog = shallowRef<HTMLDialogElement | null>(null)
    const held = shallowRef<string | undefined>(undefined)
    const lines = computed(() => (held.value === undefined ? [] : toLines(held.value)))
    const rows = computed(() => breakLines(lines.value))
    const show = () => {
      held.value = props.text()
      dialog.value?.showModal()
    }
    const onClose = () => {
      held.value = undefined
    }
    const save = () => {
      const url = URL.createObjectURL(new Blob([held.value ?? props.text()], { type: 'text/plain' }))
      const link = document.createElement('a')
      link.href = url
      link.download = fileNameOf(props.name)
      link.click()
      URL.revokeObjectURL(url)
    }
    const head = () =>
      h('header', [
        h('strong', props.name),
        h('span', t.value('call.lines', { n: lines.value.length })),
        h(CopyButton, { text: held.value ?? props.text }),
        h('button', { type: 'button', 'data-tw-part': 'download', onClick: save }, [
          icon('download'),
          h('span', t.value('call.download')),
        ]),
        h(
          'button',
          {
            type: 'button',
            'data-tw-part': 'close',
            'aria-label': t.value('common.close'),
            onClick: () => dialog.value?.close(),
          },
          [icon('close')],
        ),
      ])
    return () => {
      const count = Math.ceil(rows.value.length / PIECE)
      const pieces = Array.from({ length: count }, (_, i) => i * PIECE)
      return [
        h(
          'button',
          { type: 'button', 'data-tw-part': 'view-full', onClick: show },
          t.value('call.view_full'),
        ),
        h('dialog', { ref: dialog, 'data-tw-part': 'output-pane', 'aria-label': props.name, onClose }, [
          head(),
          h(
            'div',
            { 'data-tw-part': 'output-pieces' },
            pieces.map(from => output(rows.value.slice(from, from + PIECE), props.ansi, from)),
          ),
        ]),
      ]
    }
  },
  { name: 'OutputPane', props: ['text', 'ansi', 'name'] },
)
