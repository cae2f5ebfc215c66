/**
 * The whole output of one call, from the server, in a pane of its own. Only the lines in sight exist,
 * so the browser's own search would miss most of them: the pane brings one.
 */
import { ansiSpans } from '@toolwire/core/view'
import { AnsiText, Icon } from '@toolwire/react'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { VList, type VListHandle } from 'virtua'
import { AppIcon } from '../app-icon.tsx'
import { useWords } from '../strings/use-words.ts'
import { errorText } from '../use-loaded.ts'
import { findLines } from './find-lines.ts'
import { readArtifact } from './read-artifact.ts'
import { saveText } from './save-text.ts'

export interface ArtifactPaneProps {
  readonly session: string
  readonly call: string
  readonly name: string
  readonly onClose: () => void
}

export function ArtifactPane({ session, call, name, onClose }: ArtifactPaneProps) {
  const { t } = useWords()
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
  const { t, a } = useWords()
  const lines = useMemo(() => text.replace(/\n$/, '').split('\n'), [text])
  const [wanted, setWanted] = useState('')
  const [at, setAt] = useState(0)
  const [wrap, setWrap] = useState(false)
  const list = useRef<VListHandle>(null)
  const found = useMemo(() => findLines(lines, wanted), [lines, wanted])
  const go = (to: number) => {
    if (found.length === 0) return
    const next = (to + found.length) % found.length
    setAt(next)
    list.current?.scrollToIndex(found[next] ?? 0, { align: 'center' })
  }
  return (
    <>
      <PaneHeader name={name} onClose={onClose}>
        <span>{t('call.lines', { n: lines.length })}</span>
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
        {lines.map((line, index) => (
          <Line
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
            key={index}
            number={index + 1}
            text={line}
            current={index === found[at]}
          />
        ))}
      </VList>
    </>
  )
}

/** As high as the style makes a line: what is not known yet is taken for this, so that the first lines fill the pane. */
const LINE_PX = 19.375

/** No browser can lay out a line of a megabyte. */
const MAX_LINE = 4000

interface LineProps {
  readonly number: number
  readonly text: string
  readonly current: boolean
}

function Line({ number, text, current }: LineProps) {
  const shown = text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text
  return (
    <div className="artifact-line" data-current={current}>
      <span>{number}</span>
      <code>
        <AnsiText spans={ansiSpans(shown)} />
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
  const { t } = useWords()
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
