/**
 * HTML of a tool as a page in an isolated frame: a separate origin, no storage, no requests, no navigation. Its
 * scripts run only after the user's consent.
 */
import { useEffect, useRef, useState } from 'react'
import { Dialog } from '../dialog.tsx'
import { useStrings } from '../strings/use-strings.ts'
import { errorText } from '../use-loaded.ts'

export interface HtmlPaneProps {
  readonly name: string
  /** The page, or where to get all of it. */
  readonly read: () => Promise<string>
  readonly onClose: () => void
}

export function HtmlPane({ name, read, onClose }: HtmlPaneProps) {
  const { a } = useStrings()
  const [html, setHtml] = useState<string>()
  const [error, setError] = useState('')
  const [scripts, setScripts] = useState(false)
  useEffect(() => {
    read().then(setHtml, (thrown: unknown) => setError(errorText(thrown)))
  }, [read])
  return (
    <Dialog title={a('html.title', { name })} open wide onClose={onClose}>
      <div className="html-bar">
        <span className="quiet">{a(scripts ? 'html.note_scripts' : 'html.note')}</span>
        {!scripts && (
          <button type="button" className="button small html-scripts" onClick={() => setScripts(true)}>
            {a('html.scripts')}
          </button>
        )}
      </div>
      {error !== '' && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      {html !== undefined && (
        <HtmlFrame key={String(scripts)} html={html} scripts={scripts} title={a('html.title', { name })} />
      )}
    </Dialog>
  )
}

interface HtmlFrameProps {
  readonly html: string
  readonly scripts: boolean
  readonly title: string
}

function HtmlFrame({ html, scripts, title }: HtmlFrameProps) {
  const sent = useRef(false)
  const frame = useRef<HTMLIFrameElement>(null)
  const fill = () => {
    // Written once: what loads later in this frame was put there by the page itself.
    if (sent.current) return
    sent.current = true
    frame.current?.contentWindow?.postMessage(html, '*')
  }
  return (
    <iframe
      ref={frame}
      className="html-frame"
      title={title}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      src={scripts ? '/frame?scripts=1' : '/frame'}
      onLoad={fill}
    />
  )
}
