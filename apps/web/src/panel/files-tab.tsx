/** The files of the workspace: a tree that reads a folder when it is opened, and one file at a time. */
import { relativePath } from '@toolwire/core/parts'
import { formatBytes } from '@toolwire/core/view'
import { Icon, useSessionContext, useView } from '@toolwire/react'
import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { AppIcon } from '../app-icon.tsx'
import { navigate, sessionPath } from '../router.ts'
import { type FileEntryJson, serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { errorText, useLoaded } from '../use-loaded.ts'
import { FilePreview } from './file-preview.tsx'

export function FilesTab({ path }: { readonly path: string }) {
  const { session } = useSessionContext()
  const cwd = useView(view => view.info.cwd)
  const read = useCallback(() => serverApi.changes(session.id, {}), [session.id])
  const { data } = useLoaded(read)
  const changed = useMemo(
    () => new Set(data?.files.filter(isChanged).map(file => relativePath(file.path, cwd)) ?? []),
    [data, cwd],
  )
  if (path !== '') return <FilePreview path={path} />
  return (
    <Changed.Provider value={changed}>
      <Folder path="" />
    </Changed.Provider>
  )
}

const Changed = createContext<ReadonlySet<string>>(new Set())
const isChanged = ({ action }: { readonly action: string }): boolean => action !== 'unchanged'

function Folder({ path }: { readonly path: string }) {
  const { a } = useStrings()
  const { entries, error, more } = useFolder(path)
  return (
    <>
      <ul className="file-tree">
        {entries?.map(entry => (
          <Entry key={entry.name} entry={entry} path={path === '' ? entry.name : `${path}/${entry.name}`} />
        ))}
      </ul>
      {entries?.length === 0 && <p className="quiet">{a('files.empty')}</p>}
      {error !== '' && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      {more && (
        <button type="button" className="button small" onClick={more}>
          {a('chat.more')}
        </button>
      )}
    </>
  )
}

interface FolderState {
  readonly entries: readonly FileEntryJson[] | undefined
  readonly error: string
  /** Reads the next page, if there is one. */
  readonly more: (() => void) | undefined
}

function useFolder(path: string): FolderState {
  const { session } = useSessionContext()
  const [entries, setEntries] = useState<readonly FileEntryJson[]>()
  const [next, setNext] = useState<string | null>(null)
  const [error, setError] = useState('')
  const read = useCallback(
    (cursor?: string) => {
      let over = false
      serverApi.files(session.id, path, cursor).then(
        page => {
          if (over) return
          setEntries(known => (cursor === undefined ? page.entries : [...(known ?? []), ...page.entries]))
          setNext(page.next)
          setError('')
        },
        (thrown: unknown) => {
          if (!over) setError(errorText(thrown))
        },
      )
      return () => {
        over = true
      }
    },
    [session.id, path],
  )
  useEffect(() => read(), [read])
  return { entries, error, more: next === null ? undefined : () => void read(next) }
}

function Entry({ entry, path }: { readonly entry: FileEntryJson; readonly path: string }) {
  const { a, locale } = useStrings()
  const { session } = useSessionContext()
  const changed = useContext(Changed)
  const [open, setOpen] = useState(false)
  const { name, kind, denied, bytes } = entry
  if (kind === 'directory')
    return (
      <li>
        <button type="button" className="file-row" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="chevron" />
          <AppIcon name="folder" />
          <span>{name}</span>
        </button>
        {open && <Folder path={path} />}
      </li>
    )
  const reason = denied ?? (kind === 'file' ? undefined : a('files.link'))
  if (reason !== undefined)
    return (
      <li>
        <p className="file-row" data-denied="true" title={reason}>
          <AppIcon name="lock" />
          <span>{name}</span>
          <small>{reason}</small>
        </p>
      </li>
    )
  return (
    <li>
      <button
        type="button"
        className="file-row"
        onClick={() => navigate(sessionPath(session.id, 'files', path))}
      >
        <AppIcon name="file" />
        <span>{name}</span>
        {changed.has(path) && <em className="tag">{a('files.changed')}</em>}
        <small>{bytes === undefined ? '' : formatBytes(bytes, locale)}</small>
      </button>
    </li>
  )
}
