/** Output of any length: its beginning and its end, and all of it in a pane when asked for. */
import { breakLines, fileNameOf, textEnds, toLines } from '@toolwire/core/parts'
import { ansiSpans } from '@toolwire/core/view'
import { useMemo, useRef, useState } from 'react'
import { AnsiText } from './ansi-text.tsx'
import { CopyButton } from './copy-button.tsx'
import { Icon } from './icon.tsx'
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

interface PaneProps {
  readonly text: () => string
  readonly ansi: boolean
  readonly name: string
}

/** A button that shows all of a text. Its content exists only while it is open, and is that of the moment in which it was opened. */
export function OutputPane({ text, ansi, name }: PaneProps) {
  const { t } = useSessionContext()
  const dialog = useRef<HTMLDialogElement>(null)
  const [held, setHeld] = useState<string | undefined>(undefined)
  const lines = useMemo(() => (held === undefined ? [] : toLines(held)), [held])
  const rows = useMemo(() => breakLines(lines), [lines])
  const pieces = Array.from({ length: Math.ceil(rows.length / PIECE) }, (_, i) => i * PIECE)
  const show = () => {
    setHeld(text())
    dialog.current?.showModal()
  }
  return (
    <>
      <button type="button" data-tw-part="view-full" onClick={show}>
        {t('call.view_full')}
      </button>
      <dialog ref={dialog} data-tw-part="output-pane" aria-label={name} onClose={() => setHeld(undefined)}>
        <header>
          <strong>{name}</strong>
          <span>{t('call.lines', { n: lines.length })}</span>
          <CopyButton text={held ?? text} />
          <DownloadButton text={() => held ?? text()} name={name} />
          <button
            type="button"
            data-tw-part="close"
            aria-label={t('common.close')}
            onClick={() => dialog.current?.close()}
          >
            <Icon name="close" />
          </button>
        </header>
        <div data-tw-part="output-pieces">
          {pieces.map(from => (
            <Output key={from} lines={rows.slice(from, from + PIECE)} ansi={ansi} />
          ))}
        </div>
      </dialog>
    </>
  )
}

function DownloadButton({ text, name }: { readonly text: () => string; readonly name: string }) {
  const { t } = useSessionContext()
  const save = () => {
    const url = URL.createObjectURL(new Blob([text()], { type: 'text/plain' }))
    const link = document.createElement('a')
    link.href = url
    link.download = fileNameOf(name)
    link.click()
    URL.revokeObjectURL(url)
  }
  return (
    <button type="button" data-tw-part="download" onClick={save}>
      <Icon name="download" />
      <span>{t('call.download')}</span>
    </button>
  )
}
