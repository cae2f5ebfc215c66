/** The project part of a prompt: instruction files of folders that are trusted, and the names of others. */
import { createHash } from 'node:crypto'
import { boundaryOf, type SessionState } from '@toolwire/core'
import { canonicalPath, isInside } from '../files/resolve-path.ts'
import type { MayLoad } from './instruction-guard.ts'
import {
  findInstructionFiles,
  type InstructionFile,
  readInstructions,
  renderInstructions,
} from './project-files.ts'
import type { TrustedFolder } from './project-folders.ts'

/** The owner's additions to the prompts of their sessions. */
export interface OwnerPrompt {
  readonly instructions?: string
  readonly trusted?: readonly TrustedFolder[]
}

export interface ProjectPart {
  /** Empty when no file is loaded. */
  readonly text: string
  readonly sha256: string
  readonly files: readonly string[]
  /** Files that are not loaded, because nothing says that they can be trusted. */
  readonly skipped: readonly string[]
  readonly warnings: readonly string[]
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

export const NO_PROJECT: ProjectPart = {
  text: '',
  sha256: sha256(''),
  files: [],
  skipped: [],
  warnings: [],
}

interface TrustSettings {
  /** Folders of the operator; every file in them is loaded. */
  readonly trusted: readonly string[]
  readonly owner: OwnerPrompt
  readonly mayLoad: MayLoad
}

/** Never throws. */
export async function readProject(
  session: SessionState,
  { trusted, owner, mayLoad }: TrustSettings,
): Promise<ProjectPart> {
  const cwd = canonicalPath(session.created?.cwd ?? '.')
  const top = trusted.find(dir => isInside(cwd, dir))
  if (top !== undefined) {
    const { files, warnings } = await readInstructions(cwd, top, mayLoad)
    return toPart(session, { files, skipped: [], warnings })
  }
  const folder = owner.trusted?.find(({ path }) => isInside(cwd, path))
  if (!folder) return { ...NO_PROJECT, skipped: findInstructionFiles(cwd) }
  const { files, warnings } = await readInstructions(cwd, folder.path, mayLoad)
  const isKnown = ({ path, sha256: hash }: InstructionFile): boolean => folder.files[path] === hash
  const changed = files.filter(file => !isKnown(file)).map(({ path }) => path)
  return toPart(session, {
    files: files.filter(isKnown),
    skipped: changed,
    warnings: [
      ...warnings,
      ...changed.map(path => `${path}: changed since it was trusted, so it is not loaded`),
    ],
  })
}

interface LoadedFiles extends Pick<ProjectPart, 'skipped' | 'warnings'> {
  readonly files: readonly InstructionFile[]
}

function toPart(session: SessionState, { files, skipped, warnings }: LoadedFiles): ProjectPart {
  const text = renderInstructions(files, boundaryOf(session))
  return { text, sha256: sha256(text), files: files.map(({ path }) => path), skipped, warnings }
}
