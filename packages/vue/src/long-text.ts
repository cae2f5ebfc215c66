/** Output of any length: its beginning and its end, and all of it in a pane when asked for. */
import { breakLines, fileNameOf, hasWideLine, shortLine, toLines } from '@toolwire/core/parts'
import { ansiSpans } from '@toolwire/core/view'
import { computed, defineComponent, h, shallowRef, type VNode } from 'vue'
import { ansiText } from './ansi-text.ts'
import { CopyButton } from './copy-button.ts'
import { icon } from './icon.ts'
import { useSessionContext } from './session-context.ts'

const HEAD = 20
const TAIL = 10
/** Lines per piece of the pane: the browser lays out only the pieces that are in sight. */
const PIECE = 200

export interface LongTextProps {
  readonly text: string
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
    const lines = computed(() => toLines(props.text))
    const hiddenLine = (children: readonly (VNode | string)[]) =>
      h('p', { 'data-tw-part': 'output-hidden' }, [...children])
    return () => {
      const all = lines.value
      const ansi = props.ansi === true
      const pane = (text: string) => h(OutputPane, { text, ansi, name: props.name })
      if (props.live) {
        const hidden = Math.max(0, all.length - 8) + (props.earlier ?? 0)
        return [
          ...(hidden > 0
            ? [
                hiddenLine([
                  t.value('call.earlier_lines', { n: hidden }),
                  pane((props.older ?? '') + props.text),
                ]),
              ]
            : []),
          output(all.slice(-8).map(shortLine), ansi),
        ]
      }
      if (all.length <= HEAD + TAIL + 5)
        return [output(all.map(shortLine), ansi), hasWideLine(all) ? hiddenLine([pane(props.text)]) : null]
      return [
        output(all.slice(0, HEAD).map(shortLine), ansi),
        hiddenLine([t.value('call.lines', { n: all.length - HEAD - TAIL }), pane(props.text)]),
        output(all.slice(-TAIL).map(shortLine), ansi),
      ]
    }
  },
  { name: 'LongText', props: ['text', 'live', 'ansi', 'earlier', 'older', 'name'] },
)

function output(lines: readonly string[], ansi: boolean, key?: number): VNode {
  const text = lines.join('\n')
  return h('pre', { 'data-tw-part': 'output', key }, ansi ? [...ansiText(ansiSpans(text))] : text)
}

interface PaneProps {
  readonly text: string
  readonly ansi: boolean
  readonly name: string
}

/** Its content exists only while it is open, and is that of the moment in which it was opened. */
const OutputPane = defineComponent(
  (props: PaneProps) => {
    const { t } = useSessionContext()
    const dialog = shallowRef<HTMLDialogElement | null>(null)
    const held = shallowRef<string | undefined>(undefined)
    const lines = computed(() => (held.value === undefined ? [] : toLines(held.value)))
    const rows = computed(() => breakLines(lines.value))
    const show = () => {
      held.value = props.text
      dialog.value?.showModal()
    }
    const onClose = () => {
      held.value = undefined
    }
    const save = () => {
      const url = URL.createObjectURL(new Blob([held.value ?? props.text], { type: 'text/plain' }))
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
