/** One file of the workspace: an image, a table or text, as far as a page can hold it, and its download. */
import { formatBytes } from '@toolwire/core/view'
import { CodeBlock, Icon, LongText, useSessionContext } from '@toolwire/react'
import { useEffect, useState } from 'react'
import { saveBlob } from '../output/save-text.ts'
import { navigate, sessionPath } from '../router.ts'
import { serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { errorText } from '../use-loaded.ts'
import { csvRows } from './csv-rows.ts'
import { type FileContent, readContent } from './file-content.ts'

export function FilePreview({ path }: { readonly path: string }) {
  const { t, a } = useStrings()
  const { session } = useSessionContext()
  const { content, error } = useContent(session.id, path)
  const [failed, setFailed] = useState('')
  const name = path.split('/').at(-1) ?? path
  const download = () => {
    setFailed('')
    serverApi.file(session.id, path).then(
      ({ blob }) => saveBlob(blob, name),
      (thrown: unknown) => setFailed(errorText(thrown)),
    )
  }
  return (
    <section className="file-preview" aria-label={path}>
      <header>
        <button
          type="button"
          className="button small"
          onClick={() => navigate(sessionPath(session.id, 'files'))}
        >
          {a('files.back')}
        </button>
        <button type="button" className="button small" onClick={download}>
          <Icon name="download" />
          {t('call.download')}
        </button>
      </header>
      <h3>
        <code>{path}</code>
      </h3>
      {(error || failed) !== '' && (
        <p className="error" role="alert">
          {error || failed}
        </p>
      )}
      {content && <Content content={content} name={name} />}
    </section>
  )
}

function useContent(session: string, path: string) {
  const [state, setState] = useState<{ readonly content?: FileContent; readonly error: string }>({
    error: '',
  })
  useEffect(() => {
    let over = false
    setState({ error: '' })
    readContent(session, path).then(
      content => {
        if (!over) setState({ content, error: '' })
      },
      (thrown: unknown) => {
        if (!over) setState({ error: errorText(thrown) })
      },
    )
    return () => {
      over = true
    }
  }, [session, path])
  return state
}

function Content({ content, name }: { readonly content: FileContent; readonly name: string }) {
  const { a, locale } = useStrings()
  const size = formatBytes(content.bytes, locale)
  switch (content.kind) {
    case 'image':
      return <ImageFile blob={content.blob} name={name} />
    case 'binary':
      return <p className="quiet">{a('files.binary', { size })}</p>
    case 'text':
      return (
        <>
          {content.lang === 'csv' && <CsvTable text={content.text} />}
          {content.isCut && <p className="quiet">{a('files.cut', { size })}</p>}
          {content.text.length > COLORED ? (
            <LongText text={content.text} name={name} />
          ) : (
            <CodeBlock code={content.text} lang={content.lang} open={false} />
          )}
        </>
      )
  }
}

/** Longer texts are drawn in pieces. */
const COLORED = 20_000

function ImageFile({ blob, name }: { readonly blob: Blob; readonly name: string }) {
  const [src, setSrc] = useState<string>()
  useEffect(() => {
    const url = URL.createObjectURL(blob)
    setSrc(url)
    return () => URL.revokeObjectURL(url)
  }, [blob])
  return src === undefined ? null : <img className="file-image" src={src} alt={name} />
}

function CsvTable({ text }: { readonly text: string }) {
  const [head = [], ...rows] = csvRows(text)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table must be scrollable by keyboard
    <div className="table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells have no identity but their position
              <th key={index}>{cell}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their position
            <tr key={index}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells have no identity but their position
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
