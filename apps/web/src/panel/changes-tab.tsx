/** All files that the session has changed, each with its diff and its undo, and what cannot be undone. */
import { relativePath } from '@toolwire/core/parts'
import { DiffView, Icon, useSessionContext, useView } from '@toolwire/react'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { AppIcon } from '../app-icon.tsx'
import { Dialog } from '../dialog.tsx'
import { revealCall } from '../reveal-call.ts'
import { serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { errorText, useLoaded } from '../use-loaded.ts'
import { type ChangedFile, irreversibleCalls, toChangedFiles } from './changed-files.ts'
import { type ChangesScope, setChangesScope, useChangesScope } from './changes-target.ts'

export function ChangesTab() {
  const { a } = useStrings()
  const { session } = useSessionContext()
  const scope = useChangesScope()
  const read = useCallback(() => serverApi.changes(session.id, scope), [session.id, scope])
  const { data, error, refresh } = useLoaded(read)
  const running = useView(view => view.phase === 'running')
  const moved = useView(view => `${view.phase} ${view.turns.length} ${view.active.length}`)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a call that began or ended is the reason
  useEffect(refresh, [moved, refresh])
  const files = useMemo(() => toChangedFiles(data?.files ?? []), [data])
  const [problem, setProblem] = useState('')
  const undo = async (paths?: readonly string[]) => {
    setProblem('')
    try {
      const { files: undone } = await serverApi.undo(session.id, scope, paths)
      const failed = undone.filter(({ action }) => action === 'conflict' || action === 'lost')
      setProblem(failed.map(({ path, message }) => `${path}: ${message ?? ''}`).join('\n'))
    } catch (thrown) {
      setProblem(errorText(thrown))
    }
    refresh()
  }
  if (data === undefined) return <p className="quiet">{error}</p>
  return (
    <div className="changes">
      <Summary files={files} scope={scope} running={running} onUndo={() => undo()} />
      {(problem || error) !== '' && (
        <p className="error" role="alert">
          {problem || error}
        </p>
      )}
      {running && files.length > 0 && <p className="quiet">{a('changes.running')}</p>}
      {files.length === 0 && <p className="quiet">{a('changes.none')}</p>}
      <Files files={files} running={running} onUndo={path => undo([path])} />
      <Irreversible />
    </div>
  )
}

interface SummaryProps {
  readonly files: readonly ChangedFile[]
  readonly scope: ChangesScope
  readonly running: boolean
  readonly onUndo: () => Promise<void>
}

function Summary({ files, scope, running, onUndo }: SummaryProps) {
  const { t, a } = useStrings()
  const [asking, setAsking] = useState(false)
  const sum = (key: 'added' | 'removed') => files.reduce((total, file) => total + file[key], 0)
  const undoable = files.filter(file => file.canUndo)
  return (
    <header className="changes-head">
      <span>{a('changes.files', { n: files.length })}</span>
      <Count added={sum('added')} removed={sum('removed')} />
      <ScopeSelect scope={scope} />
      <button
        type="button"
        className="button small"
        disabled={running || undoable.length === 0}
        onClick={() => setAsking(true)}
      >
        <AppIcon name="undo" />
        {a('changes.undo_all')}
      </button>
      <Dialog title={a('changes.undo_title')} open={asking} onClose={() => setAsking(false)}>
        <ul className="plain-list">
          {undoable.map(file => (
            <li key={file.path}>
              <code>{file.path}</code> {file.isNew && a('changes.new')}
            </li>
          ))}
        </ul>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={() => setAsking(false)}>
            {t('common.cancel')}
          </button>
          <button
            type="button"
            className="button primary"
            onClick={() => {
              setAsking(false)
              void onUndo()
            }}
          >
            {a('changes.undo')}
          </button>
        </div>
      </Dialog>
    </header>
  )
}

function ScopeSelect({ scope }: { readonly scope: ChangesScope }) {
  const { a } = useStrings()
  const turns = useView(view => view.turns)
  const value = scope.call === undefined ? (scope.turn ?? '') : 'call'
  return (
    <select
      aria-label={a('changes.scope')}
      value={value}
      onChange={event => setChangesScope(event.target.value === '' ? {} : { turn: event.target.value })}
    >
      <option value="">{a('changes.session')}</option>
      {scope.call !== undefined && <option value="call">{a('changes.call')}</option>}
      {turns.map((turn, index) => (
        <option key={turn.id} value={turn.id}>
          {a('changes.turn', { n: index + 1 })}
        </option>
      ))}
    </select>
  )
}

const Count = ({ added, removed }: { readonly added: number; readonly removed: number }) => (
  <span className="line-count">
    <b>+{added}</b> <i>−{removed}</i>
  </span>
)

interface FilesProps {
  readonly files: readonly ChangedFile[]
  readonly running: boolean
  readonly onUndo: (path: string) => Promise<void>
}

/** One diff at a time: a session may have changed hundreds of files. */
function Files({ files, running, onUndo }: FilesProps) {
  const { a } = useStrings()
  const cwd = useView(view => view.info.cwd)
  const [chosen, setChosen] = useState<string>()
  const open = chosen ?? files[0]?.path
  return (
    <ul className="changed-files">
      {files.map(file => (
        <li key={file.path} data-state={file.action}>
          <div className="changed-file">
            <button
              type="button"
              className="changed-name"
              title={file.path}
              aria-expanded={open === file.path}
              onClick={() => setChosen(open === file.path ? '' : file.path)}
            >
              <Icon name="chevron" />
              <code>{relativePath(file.path, cwd)}</code>
              {file.isNew && <span className="tag">{a('changes.new')}</span>}
              {file.lines.length > 0 && <Count added={file.added} removed={file.removed} />}
            </button>
            {file.canUndo ? (
              <button
                type="button"
                className="button small quiet-undo"
                disabled={running}
                onClick={() => void onUndo(file.path)}
              >
                <AppIcon name="undo" />
                {a(file.isNew ? 'changes.remove' : 'changes.undo')}
              </button>
            ) : (
              <span className="changed-note">
                {a(`changes.${file.action === 'lost' ? 'lost' : 'conflict'}`)}
              </span>
            )}
          </div>
          {open === file.path && <FileDiff file={file} />}
        </li>
      ))}
    </ul>
  )
}

function FileDiff({ file }: { readonly file: ChangedFile }) {
  const { a } = useStrings()
  if (file.lines.length > 0) return <DiffView {...file} />
  return <p className="quiet">{file.canUndo ? a('changes.no_diff') : file.message}</p>
}

/** Commands and requests to others leave no content to restore. */
function Irreversible() {
  const { a } = useStrings()
  const moved = useView(view => `${view.calls.size} ${view.active.length} ${view.phase}`)
  const { session } = useSessionContext()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a call that began or ended is the reason
  const calls = useMemo(() => irreversibleCalls(session.getSnapshot().view), [session, moved])
  const [shown, setShown] = useState(false)
  const view = session.getSnapshot().view
  if (calls.length === 0) return null
  return (
    <footer className="irreversible">
      <p>
        {a('changes.irreversible', { n: calls.length })}{' '}
        <button type="button" className="link-button" aria-expanded={shown} onClick={() => setShown(!shown)}>
          {a('chat.show')}
        </button>
      </p>
      {shown && (
        <ul className="plain-list">
          {calls.slice(-100).map(id => (
            <li key={id}>
              <button type="button" className="link-button" onClick={() => revealCall(id)}>
                {view.calls.get(id)?.name}
              </button>{' '}
              <code>{(view.calls.get(id)?.input_text ?? '').slice(0, 120)}</code>
            </li>
          ))}
        </ul>
      )}
    </footer>
  )
}
