/** A command and what it printed: the ends of both, coloured as the program meant it; all of it in panes. */
import { COMMAND_ENDS, countLines, hiddenLines, textEnds } from '@toolwire/core/parts'
import { type CallView, isFinal } from '@toolwire/core/view'
import type { FullView } from '../approval/use-asked.ts'
import { useSessionContext } from '../session/session-context.ts'
import { FullText } from './full-text.tsx'
import { LongText } from './long-text.tsx'
import { OutputPane } from './output-pane.tsx'
import { ViewFull } from './view-full.tsx'

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

export function Terminal({
  command,
  output,
  exitCode,
  call,
  name = call?.name ?? 'terminal',
  asked,
}: TerminalProps) {
  const { t } = useSessionContext()
  return (
    <div data-tw-part="terminal">
      <Command text={command} name={name} asked={asked} />
      <Printed output={output} call={call} name={name} />
      {exitCode !== undefined && exitCode !== 0 && (
        <p data-tw-part="exit-code">{t('call.exit_code', { n: exitCode })}</p>
      )}
    </div>
  )
}

interface CommandProps {
  readonly text: string
  readonly name: string
  readonly asked: FullView | undefined
}

/** Its end is always shown, and so is how much is left out before it. */
function Command({ text, name, asked }: CommandProps) {
  const { t } = useSessionContext()
  const { head, tail, hidden, wide } = textEnds(text, COMMAND_ENDS)
  if (asked?.full)
    return (
      <div data-tw-part="command">
        <FullText text={text} />
      </div>
    )
  return (
    <>
      <pre data-tw-part="command">{head.join('\n')}</pre>
      {(hidden > 0 || wide) && (
        <div data-tw-part="output-hidden">
          {hidden > 0 && hiddenLines(t, hidden)}
          {asked ? (
            <ViewFull onClick={asked.showFull} />
          ) : (
            <OutputPane text={() => text} ansi={false} name={name} />
          )}
        </div>
      )}
      {hidden > 0 && <pre data-tw-part="command-end">{tail.join('\n')}</pre>}
    </>
  )
}

interface PrintedProps {
  readonly output: string
  readonly call: CallView | undefined
  readonly name: string
}

function Printed({ output, call, name }: PrintedProps) {
  const { t } = useSessionContext()
  const live = call !== undefined && !isFinal(call.state)
  if (output === '')
    return live || call?.state === 'failed' ? null : <p data-tw-part="empty">{t('call.no_output')}</p>
  const shown = countLines(output) - (output.endsWith('\n') ? 0 : 1)
  const earlier = live ? Math.max(0, call.output.lines - shown) : 0
  return (
    <LongText text={output} live={live} ansi earlier={earlier} older={call?.output.older ?? ''} name={name} />
  )
}
