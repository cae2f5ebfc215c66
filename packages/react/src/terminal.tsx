/** A command and what it printed: the ends of both, coloured as the program meant it; all of it in panes. */
import { countLines, textEnds } from '@toolwire/core/parts'
import { type CallView, isFinal } from '@toolwire/core/view'
import { LongText } from './long-text.tsx'
import { OutputPane } from './output-pane.tsx'
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

export function Terminal({
  command,
  output,
  exitCode,
  call,
  name = call?.name ?? 'terminal',
}: TerminalProps) {
  const { t } = useSessionContext()
  return (
    <div data-tw-part="terminal">
      <Command text={command} name={name} />
      <Printed output={output} call={call} name={name} />
      {exitCode !== undefined && exitCode !== 0 && (
        <p data-tw-part="exit-code">{t('call.exit_code', { n: exitCode })}</p>
      )}
    </div>
  )
}

const COMMAND = { head: 40, tail: 0 }

function Command({ text, name }: { readonly text: string; readonly name: string }) {
  const { head, hidden, wide } = textEnds(text, COMMAND)
  return (
    <>
      <pre data-tw-part="command">{head.join('\n') + (hidden > 0 ? '\n…' : '')}</pre>
      {(hidden > 0 || wide) && (
        <div data-tw-part="output-hidden">
          <OutputPane text={() => text} ansi={false} name={name} />
        </div>
      )}
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
