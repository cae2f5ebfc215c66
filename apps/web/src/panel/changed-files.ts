/** The changes of a session as the panel shows them. Pure. */
import { type DiffLine, patchLines, type SessionView } from '@toolwire/core/view'

/** One file of a dry run of an undo. */
export interface ChangeJson {
  readonly path: string
  readonly action: 'restored' | 'removed' | 'unchanged' | 'conflict' | 'lost'
  readonly message?: string
  readonly call_ids: readonly string[]
  readonly diff?: string
}

export interface ChangedFile extends ChangeJson {
  /** The file did not exist before. */
  readonly isNew: boolean
  readonly canUndo: boolean
  readonly lines: readonly DiffLine[]
  readonly added: number
  readonly removed: number
}

/** Files whose content differs from that at the start; the diff leads from there to now. */
export function toChangedFiles(files: readonly ChangeJson[]): readonly ChangedFile[] {
  return files
    .filter(file => file.action !== 'unchanged')
    .map(file => {
      const lines = isBinary(file.diff) ? [] : reversed(patchLines(file.diff ?? '') ?? [])
      const count = (type: DiffLine['type']) => lines.filter(line => line.type === type).length
      return {
        ...file,
        isNew: file.action === 'removed',
        canUndo: file.action === 'restored' || file.action === 'removed',
        lines,
        added: count('add'),
        removed: count('remove'),
      }
    })
}

/** Bytes that are no text. */
const isBinary = (diff = ''): boolean => /[\0\ufffd]/.test(diff)

/** The lines of the opposite change, removed lines first. */
function reversed(lines: readonly DiffLine[]): readonly DiffLine[] {
  const out: DiffLine[] = []
  let added: DiffLine[] = []
  const swapped = ({ type, text, old_line, new_line }: DiffLine): DiffLine => ({
    type: type === 'add' ? 'remove' : type === 'remove' ? 'add' : type,
    text,
    ...(new_line === undefined ? {} : { old_line: new_line }),
    ...(old_line === undefined ? {} : { new_line: old_line }),
  })
  for (const line of lines.map(swapped)) {
    if (line.type === 'add') added.push(line)
    else {
      if (line.type !== 'remove') {
        out.push(...added)
        added = []
      }
      out.push(line)
    }
  }
  return [...out, ...added]
}

/** Tools whose effects are files, or none: everything else that ran cannot be undone. */
const UNDOABLE: ReadonlySet<string> = new Set([
  'Read',
  'Write',
  'Edit',
  'MultiEdit',
  'NotebookEdit',
  'NotebookRead',
  'Grep',
  'Glob',
  'LS',
  'TodoWrite',
  'Think',
  'AskUserQuestion',
  'Agent',
  'Task',
  'Architect',
  'MemoryRead',
  'Clock',
])

/** Ids of the calls that ran and that no undo reaches: commands, web requests, tools of MCP servers and of clients. */
export function irreversibleCalls(view: SessionView): readonly string[] {
  const ran = [...view.calls.values()].filter(
    call => call.started_at !== undefined && !UNDOABLE.has(call.name),
  )
  return ran.map(call => call.id)
}
