/**
 * The whole output of one call, from the server, in a separate pane. Only the visible lines exist, so the
 * browser's search would miss most of them: the pane has its own.
 */
import { ansiSpans } from '@toolwire/core/view'
import { AnsiText, Icon } from '@toolwire/react'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { VList, type VListHandle } from 'virtua'
import { AppIcon } from '../app-icon.tsx'
import { useStrings } from '../strings/use-strings.ts'
import { errorText } from '../use-loaded.ts'
import { countOutputLines, findRows, type OutputRow, toOutputRows } from './output-rows.ts'
import { readArtifact } from './read-artifact.ts'
import { saveText } from './save-text.ts'

export interface ArtifactPaneProps {
  readonly session: string
  readonly call: string
  readonly name: string
  readonly onClose: () => void
}

export function ArtifactPane({ session, call, name, onClose }: ArtifactPaneProps) {
  const { t } = useStrings()
  const dialog = useRef<HTMLDialogElement>(null)
  const { text, error } = useArtifact(session, call)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      data-tw-part="output-pane"
      className="artifact-pane"
      aria-label={name}
      onClose={onClose}
    >
      {text === undefined ? (
        <PaneHeader name={name} onClose={() => dialog.current?.close()}>
          <span>{error === '' ? t('connection.connecting') : error}</span>
        </PaneHeader>
      ) : (
        <Lines text={text} name={name} onClose={() => dialog.current?.close()} />
      )}
    </dialog>
  )
}

function useArtifact(
  session: string,
  call: string,
): { readonly text: string | undefined; readonly error: string } {
  const [state, setState] = useState<{ readonly text?: string; readonly error: string }>({ error: '' })
  useEffect(() => {
    const stop = new AbortController()
    readArtifact(session, call, stop.signal).then(
      text => setState({ text, error: '' }),
      (thrown: unknown) => {
        if (!stop.signal.aborted) setState({ error: errorText(thrown) })
      },
    )
    return () => stop.abort()
  }, [session, call])
  return { text: state.text, error: state.error }
}

interface LinesProps {
  readonly text: string
  readonly name: string
  readonly onClose: () => void
}

function Lines({ text, name, onClose }: LinesProps) {
  const { t, a } = useStrings()
  const rows = useMemo(() => toOutputRows(text), [text])
  const [wanted, setWanted] = useState('')
  const [at, setAt] = useState(0)
  const [wrap, setWrap] = useState(false)
  const list = useRef<VListHandle>(null)
  const found = useMemo(() => findRows(rows, wanted), [rows, wanted])
  const go = (to: number) => {
    if (found.length === 0) return
    const next = (to + found.length) % found.length
    setAt(next)
    list.current?.scrollToIndex(found[next] ?? 0, { align: 'center' })
  }
  return (
    <>
      <PaneHeader name={name} onClose={onClose}>
        <span>{t('call.lines', { n: countOutputLines(rows) })}</span>
        <label className="search pane-search">
          <AppIcon name="search" />
          <input
            type="search"
            placeholder={a('output.find')}
            aria-label={a('output.find')}
            value={wanted}
            onChange={event => {
              setWanted(event.target.value)
              setAt(-1)
            }}
            onKeyDown={event => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              go(event.shiftKey ? at - 1 : at + 1)
            }}
          />
        </label>
        <output className="pane-found">
          {wanted === '' ? '' : `${found.length === 0 ? 0 : at + 1}/${found.length}`}
        </output>
        <button type="button" data-tw-part="quiet-button" aria-pressed={wrap} onClick={() => setWrap(!wrap)}>
          {a('output.wrap')}
        </button>
        <button type="button" data-tw-part="download" onClick={() => saveText(text, name)}>
          <Icon name="download" />
          <span>{t('call.download')}</span>
        </button>
      </PaneHeader>
      <VList ref={list} itemSize={LINE_PX} className="artifact-lines" data-wrap={wrap} tabIndex={0}>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their position
          <Row key={index} row={row} isCurrent={index === found[at]} />
        ))}
      </VList>
    </>
  )
}

/** As high as the style makes a line: what is not known yet is taken for this, so that the first lines fill the pane. */
const LINE_PX = 19.375

function Row({ row, isCurrent }: { readonly row: OutputRow; readonly isCurrent: boolean }) {
  return (
    <div className="artifact-line" data-current={isCurrent}>
      <span>{row.line}</span>
      <code>
        <AnsiText spans={ansiSpans(row.text)} />
      </code>
    </div>
  )
}

interface PaneHeaderProps {
  readonly name: string
  readonly onClose: () => void
  readonly children: ReactNode
}

function PaneHeader({ name, onClose, children }: PaneHeaderProps) {
  const { t } = useStrings()
  return (
    <header>
      <strong>{name}</strong>
      {children}
      <button type="button" data-tw-part="close" aria-label={t('common.close')} onClick={onClose}>
        <Icon name="close" />
      </button>
    </header>
  )
}
