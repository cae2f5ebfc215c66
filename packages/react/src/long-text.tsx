/** Output of any length: its beginning and its end, and all of it in a pane when asked for. */
import { textEnds } from '@toolwire/core/parts'
import { ansiSpans } from '@toolwire/core/view'
import { useMemo } from 'react'
import { AnsiText } from './ansi-text.tsx'
import { OutputPane } from './output-pane.tsx'
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

export function LongText(props: LongTextProps) {
  const { text, whole, live = false, ansi = false, earlier = 0, older = '', name } = props
  const { t } = useSessionContext()
  const { head, tail, hidden, wide } = useMemo(() => textEnds(text, live ? LIVE : DONE), [text, live])
  const pane = (all: () => string) => <OutputPane text={all} ansi={ansi} name={name} />
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
          {hidden > 0 && !whole && t('call.lines', { n: hidden })}
          {pane(whole ?? (() => text))}
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
