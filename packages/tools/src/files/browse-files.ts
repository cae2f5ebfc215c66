/**
 * The files of a session's workspace for people: lists folders and finds files with the rules of the tools LS and Read.
 * A call that those tools would have to ask about, or that a rule denies, is refused. Links are listed and never followed.
 */
import { type Dirent, lstatSync } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, createYield, type SessionState } from '@toolwire/core'
import type { ExplainRequest } from '../explain-call.ts'
import type { PermissionExplanation } from '../permissions/explain-permission.ts'
import { type HeldDirectory, holdDirectory } from '../safe-files/held-directory.ts'
import { workspaceOf } from '../workspace-of.ts'
import { canonicalPath } from './resolve-path.ts'

/** Entries of one page, and of a folder as far as it is read. */
const PAGE = 500
const MAX_ENTRIES = 20_000

export interface BrowseRequest {
  readonly session_id: string
  readonly session: SessionState
  /** Relative to the workspace, with `/`; '' is the workspace. */
  readonly path: string
  /** The directories that the caller may see. Anywhere when absent. */
  readonly within?: readonly string[]
}

export interface BrowsedEntry {
  readonly name: string
  readonly kind: 'directory' | 'file' | 'link' | 'other'
  readonly bytes?: number
  readonly modified_at?: string
  /** The reason why Read would not open it without asking. */
  readonly denied?: string
}

export interface BrowsedFolder {
  readonly path: string
  /** Directories first, each group by name. */
  readonly entries: readonly BrowsedEntry[]
  /** Cursor of the next page. */
  readonly next: string | null
  /** The folder has more entries than are read. */
  readonly truncated: boolean
}

export interface FileBrowser {
  /** Throws `not_found` for what is no folder or behind a link, and `forbidden` with the reason. */
  readonly list: (request: BrowseRequest, after?: string) => Promise<BrowsedFolder>
  /** Returns the absolute path of a file that Read may open without asking. Throws as `list`. */
  readonly find: (request: BrowseRequest) => Promise<string>
}

type Explain = (request: ExplainRequest) => Promise<PermissionExplanation>

export function createFileBrowser(explain: Explain): FileBrowser {
  const denial = async (request: BrowseRequest, tool: 'LS' | 'Read', full: string) => {
    const { path: _, ...rest } = request
    const input = tool === 'LS' ? { path: full } : { file_path: full }
    const { decision, reason } = await explain({ ...rest, tool, input })
    return decision === 'allow' ? undefined : reason
  }
  return {
    async list(request, after = '') {
      const full = fullPath(request)
      const denied = await denial(request, 'LS', full)
      if (denied !== undefined) throw new AppError('forbidden', denied)
      return await inDirectory(full, async directory => {
        const { found, truncated } = await readEntries(directory)
        const rest = found.filter(entry => orderOf(entry) > after)
        const entries: BrowsedEntry[] = []
        const yieldOften = createYield()
        for (const entry of rest.slice(0, PAGE)) {
          const reason = entry.isFile() ? await denial(request, 'Read', join(full, entry.name)) : undefined
          entries.push({
            ...describeEntry(entry, directory),
            ...(reason === undefined ? {} : { denied: reason }),
          })
          await yieldOften()
        }
        const last = rest[PAGE - 1]
        return {
          path: request.path,
          entries,
          next: last && rest.length > PAGE ? orderOf(last) : null,
          truncated,
        }
      })
    },
    async find(request) {
      const full = fullPath(request)
      const denied = await denial(request, 'Read', full)
      if (denied !== undefined) throw new AppError('forbidden', denied)
      return full
    },
  }
}

/** Throws `not_found` for a path that leaves the workspace. */
function fullPath({ session, path }: BrowseRequest): string {
  const names = path.split('/').filter(Boolean)
  if (path.startsWith('/') || /[\0\\]/.test(path) || names.some(name => name === '.' || name === '..'))
    throw new AppError('not_found', 'The path is outside of the workspace.')
  const { path: workspace } = workspaceOf({ session: () => session })
  return join(canonicalPath(workspace), ...names)
}

async function inDirectory<T>(path: string, use: (directory: HeldDirectory) => Promise<T>): Promise<T> {
  let directory: HeldDirectory
  try {
    directory = holdDirectory(path)
  } catch {
    throw new AppError('not_found', 'There is no such folder in the workspace.')
  }
  try {
    return await use(directory)
  } finally {
    directory.close()
  }
}

async function readEntries(directory: HeldDirectory) {
  const found: Dirent[] = []
  for await (const entry of await opendir(directory.at('.'), { bufferSize: 512 })) {
    if (found.length === MAX_ENTRIES) return { found: found.sort(byOrder), truncated: true }
    found.push(entry)
  }
  return { found: found.sort(byOrder), truncated: false }
}

const orderOf = (entry: Dirent): string => `${entry.isDirectory() ? 'd' : 'f'}${entry.name}`
const byOrder = (a: Dirent, b: Dirent): number => (orderOf(a) < orderOf(b) ? -1 : 1)

function describeEntry(entry: Dirent, directory: HeldDirectory): BrowsedEntry {
  const { name } = entry
  if (entry.isSymbolicLink()) return { name, kind: 'link' }
  if (entry.isDirectory()) return { name, kind: 'directory' }
  if (!entry.isFile()) return { name, kind: 'other' }
  try {
    const { size, mtime } = lstatSync(directory.at(name))
    return { name, kind: 'file', bytes: size, modified_at: mtime.toISOString() }
  } catch {
    return { name, kind: 'file' }
  }
}
