/** The whole text in a separate pane, with a search in it. */
import {
  ansiNames,
  exactColours,
  fileNameOf,
  foundWords,
  isComposing,
  marksByPiece,
  type PanePiece,
  type PaneRun,
  type PaneText,
  type PieceMarks,
  paneText,
  partLabels,
  pieceRuns,
  TextSearch,
} from '@toolwire/core/parts'
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { useSessionContext } from '../session/session-context.ts'
import { CopyButton } from '../shared/copy-button.tsx'
import { Icon } from '../shared/icon.tsx'

export interface OutputPaneProps {
  /** Asked when the pane is opened. */
  readonly text: () => string
  /** Draws the colours of a terminal. */
  readonly ansi?: boolean
  /** Its title, and the name of the file when it is saved. */
  readonly name: string
}

/** A button that shows all of a text. Its content exists only while it is open, and is that of the moment in which it was opened. */
export function OutputPane({ text, ansi = false, name }: OutputPaneProps) {
  const { t } = useSessionContext()
  const dialog = useRef<HTMLDialogElement>(null)
  const [held, setHeld] = useState<string | undefined>(undefined)
  const [wrap, setWrap] = useState(true)
  const pane = useMemo(() => (held === undefined ? undefined : paneText(held, ansi)), [held, ansi])
  const search = useMemo(() => pane && new TextSearch(pane.shown), [pane])
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
          <span>{t('call.lines', { n: pane?.lines ?? 0 })}</span>
          {search && <Find search={search} />}
          {search && (
            <button type="button" data-tw-part="wrap" aria-pressed={wrap} onClick={() => setWrap(!wrap)}>
              {partLabels(t).wrap}
            </button>
          )}
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
        {pane && search && <Pieces pane={pane} search={search} ansi={ansi} wrap={wrap} />}
      </dialog>
    </>
  )
}

const useSearch = (search: TextSearch) =>
  useSyncExternalStore(search.subscribe, search.getSnapshot, search.getSnapshot)

function Find({ search }: { readonly search: TextSearch }) {
  const { t } = useSessionContext()
  const state = useSearch(search)
  const words = partLabels(t)
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return
    event.preventDefault()
    search.go(event.shiftKey ? -1 : 1)
  }
  const none = state.count === 0
  return (
    <div data-tw-part="find" aria-busy={state.searching}>
      <input
        type="search"
        aria-label={words.find}
        placeholder={words.find}
        value={state.wanted}
        onChange={event => void search.look(event.target.value)}
        onKeyDown={press}
      />
      <output data-tw-part="find-count">{foundWords(state)}</output>
      <button
        type="button"
        data-tw-part="find-previous"
        aria-label={words.previous}
        disabled={none}
        onClick={() => search.go(-1)}
      >
        <Icon name="chevron" />
      </button>
      <button
        type="button"
        data-tw-part="find-next"
        aria-label={words.next}
        disabled={none}
        onClick={() => search.go(1)}
      >
        <Icon name="chevron" />
      </button>
    </div>
  )
}

interface PiecesProps {
  readonly pane: PaneText
  readonly search: TextSearch
  readonly ansi: boolean
  readonly wrap: boolean
}

function Pieces({ pane: { pieces }, search, ansi, wrap }: PiecesProps) {
  const state = useSearch(search)
  const marks = useMemo(() => marksByPiece(pieces, state), [pieces, state])
  const current = state.matches[state.at]
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (current === undefined) return
    place.current?.querySelector('[data-current="true"]')?.scrollIntoView({ block: 'center' })
  }, [current])
  return (
    <div ref={place} data-tw-part="output-pieces" data-wrap={wrap}>
      {pieces.map((piece, index) => (
        <Piece key={piece.from} piece={piece} ansi={ansi} marks={marks.get(index)} />
      ))}
    </div>
  )
}

interface PieceProps {
  readonly piece: PanePiece
  readonly ansi: boolean
  readonly marks: PieceMarks | undefined
}

const Piece = memo(function Piece({ piece, ansi, marks }: PieceProps) {
  return (
    <pre data-tw-part="output">
      {pieceRuns(piece, marks).map((run, index) => (run.found || ansi ? drawRun(run, index) : run.text))}
    </pre>
  )
})

function drawRun({ span, text, found }: PaneRun, key: number) {
  const colours = { 'data-ansi': ansiNames(span), style: exactColours(span) }
  return found ? (
    <mark key={key} data-tw-part="found" data-current={found === 'current'} {...colours}>
      {text}
    </mark>
  ) : (
    <span key={key} {...colours}>
      {text}
    </span>
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
