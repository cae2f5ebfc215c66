/** Paths as models write them, made absolute. Where they really lead is in `real-path.ts`. */
import { homedir } from 'node:os'
import { basename, isAbsolute, join, resolve } from 'node:path'

export { canonicalPath, isInside, isInsideRoots } from '../safe-files/real-path.ts'

/** Absolute, `~` expanded, a leading `@` stripped. Pure. NUL bytes stay and are refused by `pathProblem`. */
export function resolvePath(path: string, cwd: string): string {
  const bare = path.startsWith('@') ? path.slice(1) : path
  const home = bare === '~' || bare.startsWith('~/') ? join(homedir(), bare.slice(1)) : bare
  return isAbsolute(home) ? resolve(home) : resolve(cwd, home)
}

/** The reason that a text cannot be a path; undefined if it can. Accesses nothing. */
export function pathProblem(path: string, platform: string = process.platform): PathProblem | undefined {
  // Merely looking at one makes Windows log in to the server it names.
  if (platform === 'win32' && /^[\\/]{2}/.test(path)) return bad('Network paths are not used.')
  if (path === '') return bad('The path is empty.')
  if (path.includes('\0')) return bad('The path holds a NUL byte.')
  if (Buffer.byteLength(path) > 4096) return tooLong('The path is longer than 4096 bytes.')
  if (Buffer.byteLength(basename(path)) > 255) return tooLong('The file name is longer than 255 bytes.')
  return undefined
}

interface PathProblem {
  readonly code: 'bad_path' | 'name_too_long'
  readonly message: string
}
const bad = (message: string): PathProblem => ({ code: 'bad_path', message })
const tooLong = (message: string): PathProblem => ({ code: 'name_too_long', message })
