/** A command and what it printed: the ends of both, coloured as the program meant it; all of it in panes. */
import { countLines, textEnds } from '@toolwire/core/parts'
import { type CallView, isFinal } from '@toolwire/core/view'
import { defineComponent, h, type VNode } from 'vue'
import { LongText } from './long-text.ts'
import { OutputPane } from './output-pane.ts'
import { useSessionContext } from './session-context.ts'

export interface TerminalProps {
  readonly command: string
  readonly output: string
  /** Told when it is another than 0. */
  readonly exitCode?: number | undefined
  /** The call that prints: of one that still runs the last lines are shown. */
  readonly call?: CallView
  /** Name of a download; the call's tool by default. */
  readonly name?: string
}

export const Terminal = defineComponent(
  (props: TerminalProps) => {
    const { t } = useSessionContext()
    return () => {
      const { exitCode } = props
      const name = props.name ?? props.call?.name ?? 'terminal'
      return h('div', { 'data-tw-part': 'terminal' }, [
        ...command(props.command, name),
        printed(props, name, t.value('call.no_output')),
        exitCode === undefined || exitCode === 0
          ? null
          : h('p', { 'data-tw-part': 'exit-code' }, t.value('call.exit_code', { n: exitCode })),
      ])
    }
  },
  { name: 'Terminal', props: ['command', 'output', 'exitCode', 'call', 'name'] },
)

const COMMAND = { head: 40, tail: 0 }

function command(text: string, name: string): readonly (VNode | null)[] {
  const { head, hidden, wide } = textEnds(text, COMMAND)
  return [
    h('pre', { 'data-tw-part': 'command' }, head.join('\n') + (hidden > 0 ? '\n…' : '')),
    hidden > 0 || wide
      ? h('div', { 'data-tw-part': 'output-hidden' }, [
          h(OutputPane, { text: () => text, ansi: false, name }),
        ])
      : null,
  ]
}

function printed({ output, call }: TerminalProps, name: string, nothing: string): VNode | null {
  const live = call !== undefined && !isFinal(call.state)
  if (output === '')
    return live || call?.state === 'failed' ? null : h('p', { 'data-tw-part': 'empty' }, nothing)
  const shown = countLines(output) - (output.endsWith('\n') ? 0 : 1)
  const earlier = live ? Math.max(0, call.output.lines - shown) : 0
  return h(LongText, { text: output, live, ansi: true, earlier, older: call?.output.older ?? '', name })
}
