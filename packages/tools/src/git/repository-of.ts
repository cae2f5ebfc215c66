/**
 * Finds the repository that git would use in a directory, and if its settings change what a reading command does.
 * Asks git itself: only git knows how it reads `.git`, `commondir` and its settings. An unexpected answer means
 * that the repository is not trusted.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { reasonOf } from '@toolwire/core'
import { canonicalPath, isInside } from '../files/resolve-path.ts'
import type { Repository } from '../permissions/shell/read-hazards.ts'
import { isHarmlessSetting } from './harmless-settings.ts'
import { type Git, type GitPlace, openGit } from './run-git.ts'

/** For questions that read a few small files. */
const TIMEOUT_MS = 10_000

/** The workspace is trusted to have a repository, or to lie in one; a directory below it is not. Never rejects. */
export async function repositoryOf(place: GitPlace): Promise<Repository> {
  try {
    const git = await openGit({ ...place, timeout_ms: TIMEOUT_MS })
    const found = await locate(git)
    if (found === undefined) return 'none'
    const isSilent = git.names.every(({ key, isTrusted }) => isTrusted || isHarmlessSetting(key))
    const { roots, cwd } = place.context
    if (!isSilent || !hasOwnObjects(found)) return 'other'
    if (!isInside(canonicalPath(roots[0] ?? cwd), found.top)) return 'other'
    const answers = await Promise.all([isLinkedBack(git, found), leavesSubmodulesAlone(git, found)])
    return answers.every(Boolean) ? 'own' : 'other'
  } catch {
    return 'other'
  }
}

/** Real paths. */
interface RepositoryPaths {
  /** Its work tree. */
  readonly top: string
  readonly dir: string
  /** The directory shared with its other worktrees. */
  readonly common: string
  readonly objects: string
}

/** Undefined when there is no repository. Rejects when there is one that git does not work with. */
async function locate(git: Git): Promise<RepositoryPaths | undefined> {
  const paths = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir', '--git-path', 'objects']
  const said = await git.run('rev-parse', '--path-format=absolute', ...paths).catch(error => {
    if (NO_REPOSITORY.test(reasonOf(error))) return undefined
    throw error
  })
  if (said === undefined) return undefined
  const lines = said.split('\n')
  const [top, dir, common, objects] = lines.map(line => canonicalPath(line))
  // A path of several lines looks like several paths.
  if (lines.length !== 4 || !top || !dir || !common || !objects) throw new Error('The paths have line ends.')
  return { top, dir, common, objects }
}

const NO_REPOSITORY = /^fatal: not a git repository \(or any (?:of the parent directories|parent up to mount)/

/** The files lead to the repository and the repository leads to the files: neither was put under the other. */
async function isLinkedBack(git: Git, found: RepositoryPaths): Promise<boolean> {
  const { top, dir, common } = found
  const linked = await git.run('rev-parse', '--resolve-git-dir', join(top, '.git'))
  if (canonicalPath(linked) !== dir) return false
  if (isInside(common, top) || (await isNamedBy(git, found))) return true
  const list = await git.run('worktree', 'list', '--porcelain')
  return list.split('\n').some(line => line.startsWith('worktree ') && canonicalPath(line.slice(9)) === top)
}

/** As in the repository of a submodule, which is kept elsewhere and names its work tree. */
async function isNamedBy(git: Git, { top, dir, common }: RepositoryPaths): Promise<boolean> {
  if (dir !== common) return false
  const config = ['config', '--file', join(common, 'config'), '--get', 'core.worktree']
  const named = await git.run(...config).catch(() => undefined)
  return named !== undefined && canonicalPath(resolve(dir, named)) === top
}

/** No objects of another repository can be read through this one. */
const hasOwnObjects = ({ common, objects }: RepositoryPaths): boolean =>
  isInside(objects, common) && !existsSync(join(objects, 'info', 'alternates'))

/**
 * A submodule with an `ignore` setting is inspected by its own configuration, whatever else is set. Git takes the
 * setting from the work tree, the index or the commit, in that order.
 */
async function leavesSubmodulesAlone(git: Git, { top }: RepositoryPaths): Promise<boolean> {
  const blobs = [':.gitmodules', 'HEAD:.gitmodules']
  const ids = await Promise.all(
    blobs.map(name => git.run('rev-parse', '--verify', '--quiet', name).catch(() => undefined)),
  )
  const file = join(top, '.gitmodules')
  const sources = [
    ...(existsSync(file) ? [['--file', file]] : []),
    ...ids.flatMap(id => (id === undefined ? [] : [['--blob', id]])),
  ]
  const lists = await Promise.all(
    sources.map(source => git.run('config', ...source, '--list', '--name-only', '-z')),
  )
  return !lists.some(list => list.split('\0').some(key => /^submodule\..*\.ignore$/s.test(key)))
}
