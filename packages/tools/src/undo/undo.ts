/**
 * Undoes file changes of a session's tools: one call, one exchange, or everything. Invariant: a file is touched
 * only if it still has the content that the latest undone change gave it, so no later change is lost.
 */
import { join } from 'node:path'
import { AppError, type Rec, readPages, type SessionLog } from '@toolwire/core'
import { fileName } from '../file-name.ts'
import { atomicWrite, removeFile } from '../files/atomic-write.ts'
import { findBlob, keepBlob } from '../files/blobs.ts'
import { hashOf } from '../files/ledger.ts'
import { canonicalPath } from '../files/resolve-path.ts'
import { offload } from '../offload/offload.ts'
import { LARGEST_WRITTEN, readWhole } from '../safe-files/open-file.ts'
import { type RecordedChange, recordedChanges, UNDO_NOTE, type UndoNote } from './recorded-changes.ts'

/** The changes to undo. A call includes its subagents; a turn is an exchange, by its id or a run of it; `turns` are ids. */
export type UndoScope = (
  | { readonly call: string }
  | { readonly turn: string }
  | { readonly turns: readonly string[] }
  | { readonly session: true }
) & {
  /** Only these files; all files of the scope when absent. */
  readonly paths?: readonly string[]
}

export interface UndoneFile {
  readonly path: string
  /** `restored` and `removed` are what would happen in a dry run, and what happened otherwise. */
  readonly action: 'restored' | 'removed' | 'unchanged' | 'conflict' | 'lost'
  /** The reason that it was left alone. */
  readonly message?: string
  readonly call_ids: readonly string[]
  /** From the content now to the content after; also of a file that is removed. */
  readonly diff?: string
}

export interface UndoResult {
  readonly dry_run: boolean
  readonly files: readonly UndoneFile[]
}

export interface UndoDeps {
  readonly log: Pick<SessionLog, 'read' | 'append'>
  /** The tool system's folder of artifacts, which holds what was overwritten. */
  readonly artifacts: string
  readonly now: () => Date
  readonly newId: (prefix: string) => string
}

export type Undo = (
  session: string,
  request: UndoScope & { readonly dryRun?: boolean },
) => Promise<UndoResult>

/** Files that cannot be taken back are reported and left alone; the others are. Throws `unknown_call` for a scope without changes in the log. */
export function createUndo(deps: UndoDeps): Undo {
  const artifacts = canonicalPath(deps.artifacts)
  return async (session, request) => {
    const dry_run = request.dryRun ?? false
    const changes = recordedChanges(await readAll(deps.log, session))
    const chosen = changes.filter(change => isWithin(change, request))
    if (chosen.length === 0 && !isWholeSession(request))
      throw new AppError('unknown_call', 'No file changes are recorded for this id.')
    const store = { artifacts: join(artifacts, fileName(session)) }
    const files: UndoneFile[] = []
    const undone: RecordedChange[] = []
    for (const path of new Set(chosen.map(change => change.path))) {
      const plan = await planFile(path, changes, chosen, store)
      const file = dry_run ? plan.file : await carryOut(plan, store)
      files.push(file)
      if (['restored', 'removed', 'unchanged'].includes(file.action)) undone.push(...plan.taken)
    }
    if (!dry_run && undone.length > 0) await record(deps, session, undone)
    return { dry_run, files }
  }
}

const isWholeSession = (scope: UndoScope): boolean => 'session' in scope && scope.paths === undefined

function isWithin(change: RecordedChange, scope: UndoScope): boolean {
  if (scope.paths && !scope.paths.includes(change.path)) return false
  if ('call' in scope) return change.call_id === scope.call || change.within.includes(scope.call)
  if ('turn' in scope) return change.conversation_id === scope.turn || change.run_id === scope.turn
  if ('turns' in scope) return scope.turns.includes(change.conversation_id ?? '')
  return true
}

type BlobStore = Parameters<typeof keepBlob>[0]

interface FilePlan {
  readonly file: UndoneFile
  readonly taken: readonly RecordedChange[]
  /** Undefined when nothing is to be done; null bytes remove the file. */
  readonly write?: { readonly now: Uint8Array | null; readonly bytes: Uint8Array | null }
}

async function planFile(
  path: string,
  changes: readonly RecordedChange[],
  chosen: readonly RecordedChange[],
  store: BlobStore,
): Promise<FilePlan> {
  const now = await contentOf(path)
  const hash = now && hashOf(now)
  // A change whose call failed, and whose content is not there, never took place.
  const made = changes.filter(one => one.path === path && (one.succeeded || one.after === hash))
  const taken = made.filter(one => chosen.includes(one))
  const call_ids = taken.map(one => one.call_id)
  const stop = (action: UndoneFile['action'], message: string): FilePlan => ({
    file: { path, action, message, call_ids },
    taken,
  })
  const [first] = taken
  const last = taken.at(-1)
  if (!first || !last) return stop('unchanged', 'The change did not take place.')
  if (now === undefined) return stop('conflict', 'It is not a plain file that can be read any more.')
  if (hash === first.before) return stop('unchanged', 'It already has the content from before.')
  if (made.at(-1) !== last || made.indexOf(last) - made.indexOf(first) !== taken.length - 1)
    return stop('conflict', 'A change that is not taken back came after it.')
  if (hash !== last.after) return stop('conflict', 'Somebody else has changed it since.')
  const bytes = first.before === null ? null : await findBlob(store, first.before)
  if (bytes === undefined || (bytes && hashOf(bytes) !== first.before))
    return stop('lost', 'The content from before is not kept any more.')
  const diff = (await offload('describeFiles', [path, now ?? undefined, bytes ?? new Uint8Array()])).gitDiff
  const action = bytes ? 'restored' : 'removed'
  return { file: { path, action, call_ids, diff }, taken, write: { now, bytes } }
}

/** Null when there is no file; undefined for anything but a plain file. */
async function contentOf(path: string): Promise<Buffer | null | undefined> {
  try {
    return await readWhole(path, LARGEST_WRITTEN)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : undefined
  }
}

/** The replaced content is kept too. A file that changes at the last moment becomes a conflict. */
async function carryOut({ file, write }: FilePlan, store: BlobStore): Promise<UndoneFile> {
  if (!write) return file
  const { path } = file
  const expect = write.now && hashOf(write.now)
  try {
    if (write.now) await keepBlob(store, write.now)
    if (write.bytes) await atomicWrite({ path, bytes: write.bytes, expect })
    else await removeFile(path, expect ?? '')
    return file
  } catch (error) {
    const message = `It was left as it is: ${error instanceof Error ? error.message : String(error)}.`
    return { path, action: 'conflict', message, call_ids: file.call_ids }
  }
}

/** Later undos must know what is taken back already. */
async function record(
  { log, now, newId }: UndoDeps,
  session: string,
  undone: readonly RecordedChange[],
): Promise<void> {
  const id = newId('undo_')
  const value: UndoNote = { undone: undone.map(({ seq, path }) => ({ seq, path })) }
  const note = { type: 'note', ts: now().toISOString(), name: UNDO_NOTE + id, value } as const
  await log.append([{ session, events: [note], key: id }])
}

async function readAll(log: UndoDeps['log'], session: string): Promise<readonly Rec[]> {
  const records: Rec[] = []
  // Previews are most of a log and say nothing here.
  for await (const page of readPages(log, session, { after: 0 }))
    records.push(...page.filter(({ ev }) => ev.type !== 'block.delta'))
  return records
}
