/** Words of a command line as paths: what the shell and the kernel make of `~` and `..`. Pure. */

/**
 * True if `..` follows a name. If that name is a link, the kernel continues at its target, so the path leads
 * elsewhere than its text says.
 */
export function climbsFromName(path: string): boolean {
  const parts = path.split('/').filter(Boolean)
  const first = parts.findIndex(part => part !== '..')
  return first !== -1 && parts.includes('..', first)
}

/** The path with a leading `~` replaced. Undefined for the home of another user and for `~+` or `~-`. */
export function expandHome(path: string, home: string): string | undefined {
  if (!path.startsWith('~')) return path
  return path === '~' || path.startsWith('~/') ? home + path.slice(1) : undefined
}

/**
 * True if every `~` of a word is either one that `expandHome` replaces or one that the shell leaves alone. The
 * shell also replaces `~` after `=` and `:`, and leaves a quoted one. `source` has its quotes.
 */
export function hasPlainTildes(source: string): boolean {
  const bare = source.replace(/'[^']*'|"[^"]*"/g, 'q')
  if (!bare.startsWith('~') && /^['"]+~/.test(source)) return false
  return [...bare.matchAll(/~/g)].every(({ index }) =>
    index === 0 ? /^~(\/|$)/.test(bare) : /[\w.^~/@-]/.test(bare[index - 1] ?? ''),
  )
}

const MAX_PATH = 4096
const MAX_NAME = 255

/** True if a text is short enough to be a path; file systems have no longer names. */
export const canExist = (path: string): boolean =>
  path !== '' && path.length <= MAX_PATH && path.split('/').every(name => name.length <= MAX_NAME)
