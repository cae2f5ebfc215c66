/** Output of any length: its beginning and its end, and all of it in a pane when asked for. */
import { hiddenLines, isCutOutput, LIVE_ENDS, OUTPUT_ENDS, textEnds } from '@toolwire/core/parts'
import { ansiSpans } from '@toolwire/core/view'
import { useContext, useMemo } from 'react'
import type { FullView } from '../approval/use-asked.ts'
import { ToolCallContext } from '../call/tool-call-context.ts'
import { useSessionContext } from '../session/session-context.ts'
import { AnsiText } from './ansi-text.tsx'
import { FullText } from './full-text.tsx'
import { OutputPane } from './output-pane.tsx'
import { ViewFull } from './view-full.tsx'

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

export function LongText(props: LongTextProps) {
  const { text, whole, live = false, ansi = false, earlier = 0, older = '', name, asked } = props
  const { t, FullOutput } = useSessionContext()
  const call = useContext(ToolCallContext)?.call
  const { head, tail, hidden, wide } = useMemo(
    () => textEnds(text, live ? LIVE_ENDS : OUTPUT_ENDS),
    [text, live],
  )
  const pane = (all: () => string) =>
    asked ? <ViewFull onClick={asked.showFull} /> : <OutputPane text={all} ansi={ansi} name={name} />
  if (asked?.full) return <FullText text={text} />
  if (live) {
    const before = hidden + earlier
    return (
      <>
        {before > 0 && (
          <div data-tw-part="output-hidden">
            {t('call.earlier_lines', { n: before })}
            {pane(() => older + text)}
          </div>
        )}
        <Output lines={hidden > 0 ? tail : head} ansi={ansi} />
      </>
    )
  }
  return (
    <>
      <Output lines={head} ansi={ansi} />
      {(hidden > 0 || wide || whole) && (
        <div data-tw-part="output-hidden">
          {hidden > 0 && !whole && hiddenLines(t, hidden)}
          {FullOutput && call && isCutOutput(text) ? <FullOutput call={call} /> : pane(whole ?? (() => text))}
        </div>
      )}
      {hidden > 0 && !whole && <Output lines={tail} ansi={ansi} />}
    </>
  )
}

function Output({ lines, ansi }: { readonly lines: readonly string[]; readonly ansi: boolean }) {
  const text = lines.join('\n')
  return <pre data-tw-part="output">{ansi ? <AnsiText spans={ansiSpans(text)} /> : text}</pre>
}
