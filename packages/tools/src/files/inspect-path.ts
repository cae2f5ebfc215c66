/** Inspects a path before anything is opened: only regular files are ever read or written. */
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import type { ToolContext, ToolProblem } from '@toolwire/core'
import { QUOTA_REACHED } from '../disk-quota.ts'
import { isWithin, pathWithin } from './path-within.ts'
import { canonicalPath, isInsideRoots, pathProblem, resolvePath } from './resolve-path.ts'

export type PathInfo =
  | {
      readonly type: 'file'
      readonly path: string
      readonly size: number
      readonly mtime: number
      readonly mode: number
      readonly links: number
    }
  | { readonly type: 'directory'; readonly path: string }
  | { readonly type: 'missing'; readonly path: string }
  | { readonly type: 'problem'; readonly path: string; readonly problem: ToolProblem }

/**
 * Follows links. `path` in the answer is canonical. Never opens the file and never throws. A path that leads elsewhere than
 * the one that the call was allowed for is a problem.
 */
export async function inspectPath(given: string, context: ToolContext): Promise<PathInfo> {
  const problem = pathProblem(given)
  if (problem) return { type: 'problem', path: given, problem }
  const full = resolvePath(given, context.cwd)
  const { within } = context
  const reached = within && pathWithin(full, within)
  if (reached !== undefined && !isWithin(reached, within ?? [])) return { type: 'missing', path: reached }
  const named = reached ?? (await findVariant(full))
  const path = reached ?? canonicalPath(named)
  const descriptor = [named, path].find(one => /^\/proc\/[^/]+\/(task\/\d+\/)?fd\//.test(one))
  if (descriptor !== undefined) return special(descriptor, 'descriptor of a process')
  if (context.judged !== undefined && path !== context.judged) return moved(path, context.judged)
  return await look(path)
}

async function look(path: string): Promise<PathInfo> {
  try {
    const found = await stat(path)
    if (found.isDirectory()) return { type: 'directory', path }
    if (!found.isFile()) return special(path, kindOf(found))
    return {
      type: 'file',
      path,
      size: found.size,
      mtime: found.mtimeMs,
      mode: found.mode,
      links: found.nlink,
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return { type: 'missing', path }
    return { type: 'problem', path, problem: { code: toCode(code), message: `${path}: ${reasonOf(code)}.` } }
  }
}

const moved = (path: string, judged: string): PathInfo => ({
  type: 'problem',
  path,
  problem: {
    code: 'stale',
    message: `The path leads to ${path} now, but the call was allowed for ${judged || 'another one'}. Nothing was done; send the call again.`,
  },
})

function special(path: string, kind: string): PathInfo {
  return {
    type: 'problem',
    path,
    problem: { code: 'not_a_file', message: `${path} is a ${kind}, not a regular file.` },
  }
}

function kindOf(found: Awaited<ReturnType<typeof stat>>): string {
  if (found.isFIFO()) return 'named pipe'
  if (found.isSocket()) return 'socket'
  if (found.isCharacterDevice()) return 'character device'
  return found.isBlockDevice() ? 'block device' : 'special file'
}

export const toCode = (code: string | undefined): string => {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission_denied'
    case 'EROFS':
      return 'read_only'
    case 'ENAMETOOLONG':
      return 'name_too_long'
    case 'ELOOP':
      return 'link_loop'
    case 'ENOSPC':
    case 'EDQUOT':
      return 'disk_full'
    case 'quota_exceeded':
      return 'quota_exceeded'
    case 'EISDIR':
      return 'is_directory'
    default:
      return 'failed'
  }
}

export const reasonOf = (code: string | undefined): string => {
  switch (toCode(code)) {
    case 'permission_denied':
      return 'permission denied'
    case 'read_only':
      return 'the file system is read-only'
    case 'name_too_long':
      return 'the name is too long'
    case 'link_loop':
      return 'its links lead in a circle'
    case 'disk_full':
      return 'the disk is full'
    case 'quota_exceeded':
      return QUOTA_REACHED
    case 'is_directory':
      return 'it is a directory'
    default:
      return `it cannot be used (${code ?? 'unknown error'})`
  }
}

/**
 * Suggestions for a missing path: the same name with another extension or case, in the same directory. None for
 * directories that need a question: this check comes first, and the model gets the names.
 */
export async function didYouMean(
  path: string,
  { roots, withheld }: Pick<ToolContext, 'roots' | 'withheld'>,
): Promise<string> {
  const dir = dirname(path)
  if (!isInsideRoots(dir, roots)) return ''
  const names = await readdir(dir).catch(() => [])
  const wanted = basename(path).toLowerCase()
  const stem = basename(path, extname(path)).toLowerCase()
  const found = names.filter(name => {
    const lower = name.toLowerCase()
    if (withheld?.has(join(dir, name))) return false
    if (lower === wanted || basename(name, extname(name)).toLowerCase() === stem) return true
    return wanted.length > 3 && (lower.includes(wanted) || (lower.length > 3 && wanted.includes(lower)))
  })
  if (found.length === 0) return ''
  return ` Did you mean ${found
    .slice(0, 3)
    .map(name => join(dir, name))
    .join(', ')}?`
}

/** macOS writes some names otherwise than they are typed: narrow spaces, decomposed letters, curly apostrophes. */
async function findVariant(path: string): Promise<string> {
  const variants = [
    path,
    path.replace(/ (AM|PM)\b/g, '\u202f$1'),
    path.normalize('NFD'),
    path.normalize('NFC'),
    path.replaceAll("'", '\u2019'),
  ]
  for (const variant of new Set(variants))
    if (
      await stat(variant).then(
        () => true,
        () => false,
      )
    )
      return variant
  return path
}
