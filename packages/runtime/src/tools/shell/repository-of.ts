/**
 * Whose repository git would work with in a directory, and whether that one names programs. Git runs what
 * the configuration of a repository says even to tell its status, and a repository can be buried in any
 * folder of a workspace: as `.git`, or as a folder that only looks like one (a bare repository).
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { DirectoryEntry, Repository } from '../../permissions/shell/what-it-meets.ts'
import { canonicalPath, isInside } from '../files/resolve-path.ts'

/** What is in a directory; nothing when there is none, or when it cannot be read. */
export function entriesOf(dir: string): readonly DirectoryEntry[] {
  try {
    return readdirSync(dir, { withFileTypes: true }).map(entry => ({
      name: entry.name,
      isLink: entry.isSymbolicLink(),
    }))
  } catch {
    return []
  }
}

/** The workspace is trusted to have a repository, or to lie in one; a directory below it is not. Never throws. */
export function repositoryOf(dir: string, workspace: string): Repository {
  const root = canonicalPath(workspace)
  for (let at = canonicalPath(dir); ; at = dirname(at)) {
    const link = join(at, '.git')
    if (existsSync(join(at, 'HEAD')) && ['objects', 'commondir'].some(one => existsSync(join(at, one))))
      return 'other'
    if (existsSync(link)) return isInside(root, at) && isSilent(link, at) ? 'own' : 'other'
    if (dirname(at) === at) return 'none'
  }
}

/** Whether no configuration of the repository names a program that is run by commands which only read. */
function isSilent(link: string, worktree: string): boolean {
  try {
    const own = statSync(link).isDirectory() ? link : resolve(worktree, pointerIn(link))
    const common = join(own, 'commondir')
    const shared = existsSync(common) ? resolve(own, readFileSync(common, 'utf8').trim()) : own
    const files = [own, shared].flatMap(one => [join(one, 'config'), join(one, 'config.worktree')])
    return [...files, join(worktree, '.gitmodules')]
      .filter(file => existsSync(file))
      .every(file => {
        const text = statSync(file).size > MAX_BYTES ? undefined : readFileSync(file, 'utf8')
        return text !== undefined && !NAMES_PROGRAMS.test(text) && !worksElsewhere(text, own, worktree)
      })
  } catch {
    return false
  }
}

const MAX_BYTES = 1_000_000

const pointerIn = (file: string): string =>
  /^gitdir:\s*(.*\S)/.exec(readFileSync(file, 'utf8'))?.[1] ?? '/nowhere'

/**
 * Drivers for comparing and filtering files have names of their own, so no setting can switch them all off;
 * other files may hold them too. A submodule that says what to ignore is looked into whatever else is set.
 */
const NAMES_PROGRAMS =
  /\[[ \t]*(include|filter|diff[ \t]*["'.])|(^|\])[ \t]*(external|textconv|command|clean|smudge|process|ignore)[ \t]*(=|\r?$)/im

/** Files of another directory would be read as if they were here. */
function worksElsewhere(text: string, own: string, worktree: string): boolean {
  const places = [...text.matchAll(/(?:^|\])[ \t]*worktree[ \t]*=(.*)$/gim)].map(found => found[1] ?? '')
  return places.some(place => canonicalPath(resolve(own, place.trim().replaceAll('"', ''))) !== worktree)
}
