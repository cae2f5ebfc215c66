/**
 * Guarded files that the arguments of a call name. For tools whose reading this server does not see, such as those of MCP
 * servers: a text that is the path or the address of such a file counts as reading it.
 */
import { isAbsolute, resolve } from 'node:path'
import type { PathGuard } from './path-guard.ts'
import type { Rule } from './rules.ts'
import { canExist } from './shell/path-words.ts'

const MAX_TEXTS = 200
const MAX_VALUES = 10_000

/** Undefined when there are more than can be compared. Names of fields are texts too. */
export function textsIn(input: unknown): readonly string[] | undefined {
  const texts = new Set<string>()
  const open: unknown[] = [input]
  for (let seen = 0; open.length > 0; seen++) {
    const value = open.pop()
    if (typeof value === 'string') texts.add(value)
    else open.push(...partsOf(value))
    if (seen + open.length > MAX_VALUES || texts.size > MAX_TEXTS) return undefined
  }
  return [...texts]
}

function partsOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  const parts = Array.isArray(value) ? value : Object.entries(value).flat()
  return parts.slice(0, MAX_VALUES + 1)
}

export interface NamedFiles {
  /** The rule of a file that the arguments name. */
  readonly named?: Rule
  /** A rule of files in a directory that they name, or of any when they cannot be compared. */
  readonly around?: Rule
}

/** `dirs` are the directories that relative paths may start from. */
export function findNamedFiles(
  texts: readonly string[] | undefined,
  dirs: readonly string[],
  guard: PathGuard,
): NamedFiles {
  if (texts === undefined) return { around: guard.rule }
  const written = [...new Set(texts.flatMap(pathsIn))]
  const paths = [...new Set(written.flatMap(path => dirs.map(dir => resolve(dir, path))))]
  const found = paths.flatMap(path => guard.ruleFor(path) ?? [])
  const named = found.find(rule => rule.decision === 'deny') ?? found[0]
  if (named) return { named }
  const above = written.filter(isDirectoryLike).flatMap(path => dirs.map(dir => resolve(dir, path)))
  const around = above.map(dir => guard.ruleBelow(dir)).find(Boolean)
  return around ? { around } : {}
}

/** A single word, such as a search term, is no directory. */
const isDirectoryLike = (path: string): boolean => isAbsolute(path) || /^\.{0,2}$|\//.test(path)

/** A text as paths: as it is, decoded, and what follows the scheme of an address. */
function pathsIn(text: string): readonly string[] {
  if (text.includes('\0')) return []
  const spellings = [text, decode(text)].flatMap(one => {
    const rest = /^[A-Za-z][\w+.-]*:(?:\/\/)?(.*)$/s.exec(one)?.[1]?.replace(/[?#].*$/s, '')
    if (rest === undefined) return [one]
    const local = rest.replace(/^[^/]*/, '')
    return [one, rest, local]
  })
  return spellings.filter(canExist)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
