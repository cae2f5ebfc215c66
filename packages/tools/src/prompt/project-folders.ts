/** Folders of a project that hold files of one kind, and the trust in them. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { canonicalPath, isInside } from '../files/resolve-path.ts'
import { projectDirectories } from './project-files.ts'

/** A folder whose files an administrator has read: those that are still the same are loaded. */
export interface TrustedFolder {
  /** Canonical. */
  readonly path: string
  /** SHA-256 by path. */
  readonly files: Readonly<Record<string, string>>
}

export interface FolderTrust {
  /** Folders of the operator; every file in them is loaded. Canonical. */
  readonly trusted: readonly string[]
  /** Folders of the owner. */
  readonly folders: readonly TrustedFolder[]
}

export interface FolderVerdict {
  /** The folder that is trusted as a whole, or the one whose files are known. */
  readonly top: string
  /** Absent where every file is trusted. */
  readonly known?: TrustedFolder['files']
}

/** Undefined where nothing says that the files can be trusted. `cwd` is canonical. */
export function judgeFolder(cwd: string, { trusted, folders }: FolderTrust): FolderVerdict | undefined {
  const top = trusted.find(dir => isInside(cwd, dir))
  if (top !== undefined) return { top }
  const folder = folders.find(({ path }) => isInside(cwd, path))
  return folder && { top: folder.path, known: folder.files }
}

/** Folders of these names, from the root of the repository down. They exist and do not lead out of the project; canonical. */
export function projectFolders(cwd: string, names: readonly string[], top?: string): readonly string[] {
  const dirs = projectDirectories(cwd, top)
  const project = dirs[0] ?? cwd
  const roots = dirs
    .flatMap(dir => names.map(name => join(dir, name)))
    .filter(isFolder)
    .map(root => canonicalPath(root))
    .filter(root => isInside(root, project))
  return [...new Set(roots)]
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
