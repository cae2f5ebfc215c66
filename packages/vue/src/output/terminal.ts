/** A command and what it printed: the ends of both, coloured as the program meant it; all of it in panes. */
import { COMMAND_ENDS, countLines, hiddenLines, textEnds } from '@toolwire/core/parts'
import { type CallView, isFinal, type Translate } from '@toolwire/core/view'
import { defineComponent, type VNode } from 'vue'
import type { FullView } from '../approval/use-asked.ts'
import { useSessionContext } from '../session/session-context.ts'
import { h } from '../shared/h.ts'
import { FullText } from './full-text.ts'
import { LongText } from './long-text.ts'
import { OutputPane } from './output-pane.ts'
import { viewFull } from './view-full.ts'

export interface TerminalProps {
  readonly command: string
  readonly output: string
  /** Shown unless it is 0. */
  readonly exitCode?: number | undefined
  /** The call that prints: of one that still runs the last lines are shown. */
  readonly call?: CallView
  /** Name of a download; the call's tool by default. */
  readonly name?: string
  /** Shows all of the command in its place, in place of a pane. */
  readonly asked?: FullView | undefined
}

export const Terminal = defineComponent(
  (props: TerminalProps) => {
    const { t } = useSessionContext()
    return () => {
      const { exitCode } = props
      const name = props.name ?? props.call?.name ?? 'terminal'
      return h('div', { 'data-tw-part': 'terminal' }, [
        ...command(props, name, t.value),
        printed(props, name, t.value('call.no_output')),
        exitCode === undefined || exitCode === 0
          ? null
          : h('p', { 'data-tw-part': 'exit-code' }, t.value('call.exit_code', { n: exitCode })),
      ])
    }
  },
  { name: 'Terminal', props: ['command', 'output', 'exitCode', 'call', 'name', 'asked'] },
)

/** Its end is always shown, and so is how much is left out before it. */
function command(
  { command: text, asked }: TerminalProps,
  name: string,
  t: Translate,
): readonly (VNode | null)[] {
  if (asked?.full) return [h('div', { 'data-tw-part': 'command' }, [h(FullText, { text })])]
  const { head, tail, hidden, wide } = textEnds(text, COMMAND_ENDS)
  const pane = asked ? viewFull(t, asked.showFull) : h(OutputPane, { text: () => text, ansi: false, name })
  return [
    h('pre', { 'data-tw-part': 'command' }, head.join('\n')),
    hidden > 0 || wide
      ? h('div', { 'data-tw-part': 'output-hidden' }, [hidden > 0 ? hiddenLines(t, hidden) : null, pane])
      : null,
    hidden > 0 ? h('pre', { 'data-tw-part': 'command-end' }, tail.join('\n')) : null,
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
