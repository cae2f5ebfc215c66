/**
 * Scripts that a script loads, found by the tokens of its text: a token that is the path or the name of a script beside it
 * counts, with or without its extension. Rather one file too many: a changed one only asks the user again. Packages in
 * `node_modules` are left out, and so is what a script finds by a computed name.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'

export const SCRIPT = /\.([cm]?[jt]sx?|py|rb|sh|bash|zsh|pl|php|lua|wasm|jar)$/

const EXTENSIONS = ['.ts', '.js', '.mts', '.mjs', '.cts', '.cjs', '.tsx', '.jsx', '.py', '.sh', '.rb', '.lua']
const INDEXES = ['index.ts', 'index.js', 'index.mjs', 'index.cjs', '__init__.py']
/** Of one script; what follows is not looked through. */
const MAX_CHARS = 1_000_000
const MAX_TOKENS = 20_000
const MAX_LENGTH = 300

export interface LoadedScriptsOptions {
  /** True for a path of a file that may be read. */
  readonly isReadable: (path: string) => boolean
  /** Scripts that are found at most; a throw of `onTooMany` ends the search. */
  readonly most: number
  readonly onTooMany: () => never
}

/** The scripts themselves, and all that they load, directly or by others. */
export function loadedScripts(
  scripts: readonly string[],
  { isReadable, most, onTooMany }: LoadedScriptsOptions,
): readonly string[] {
  const found = new Set(scripts)
  const open = [...found]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const loaded of namedIn(path, isReadable)) {
      if (found.has(loaded)) continue
      found.add(loaded)
      open.push(loaded)
    }
    if (found.size > most) onTooMany()
  }
  return [...found]
}

function namedIn(path: string, isReadable: (path: string) => boolean): readonly string[] {
  const folder = dirname(path)
  const beside = scriptsBeside(folder)
  return tokensOf(path).flatMap(token => {
    const near = beside.get(basename(token)) ?? []
    // Shells put a computed folder before the slash.
    const paths = token.includes('/') ? [token, token.replace(/^\/+/, '')] : []
    // As Python names modules: by dots, the first of which mean the folder.
    const dotted = extname(path) === '.py' ? [token.replace(/^\.+/, '').replaceAll('.', '/')] : []
    const far = [...paths, ...dotted.filter(one => one.includes('/'))]
    return [...near, ...far.flatMap(one => candidates(resolve(folder, one)))].filter(
      one => SCRIPT.test(one) && !one.includes('/node_modules/') && isReadable(one),
    )
  })
}

function tokensOf(path: string): readonly string[] {
  try {
    const text = readFileSync(path, 'utf8').slice(0, MAX_CHARS)
    const tokens = text.split(/[\s"'`()[\]{}<>=;,&|$#*!?+]+/, MAX_TOKENS)
    return [...new Set(tokens)].filter(token => token !== '' && token.length <= MAX_LENGTH)
  } catch {
    return []
  }
}

/** By name, and by name without extension. */
function scriptsBeside(folder: string): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, string[]>()
  const add = (name: string, path: string): void => {
    named.set(name, [...(named.get(name) ?? []), path])
  }
  for (const name of namesIn(folder).filter(one => SCRIPT.test(one))) {
    add(name, join(folder, name))
    add(basename(name, extname(name)), join(folder, name))
  }
  return named
}

/** TypeScript names its files as they are after a build. */
function candidates(path: string): readonly string[] {
  const stem = path.slice(0, path.length - extname(path).length)
  const inside = isFolder(path) ? INDEXES.map(name => join(path, name)) : []
  return [path, ...EXTENSIONS.flatMap(end => [path + end, stem + end]), ...inside]
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
