/**
 * Hazards that a read-only command meets in its directory: names that match a wildcard, links in a directory, the
 * repository that git finds. Each can make it do more than its text says. Pure: the caller does the lookups.
 */
import { dirname, join } from 'node:path'
import type { ShellWord } from './parse-command.ts'

export interface DirectoryEntry {
  readonly name: string
  readonly isLink: boolean
}

/**
 * `own` is that of the workspace, without a setting by which reading would do more; `none` means no repository.
 */
export type Repository = 'own' | 'none' | 'other'

interface ReadContext {
  readonly name: string
  readonly words: readonly ShellWord[]
  /** Those of the words that name files. */
  readonly paths: readonly ShellWord[]
}

interface CommandEnvironment {
  readonly repository: Repository
  readonly entries: (dir: string) => readonly DirectoryEntry[]
  /** Some entries were not looked at. */
  readonly isSpent: () => boolean
  /** Of an absolute path. */
  readonly isInside: (path: string) => boolean
  /** Every absolute path that a path, as written in the line, may mean. */
  readonly locate: (path: string) => readonly string[]
}

/** The reason that it may do more than its text says; undefined if it cannot. */
export const findReadHazard = (looking: ReadContext, at: CommandEnvironment): string | undefined =>
  looking.name === 'git'
    ? whyNotGit(
        looking.words.map(word => word.value),
        at,
      )
    : (whyNotLook(looking, at) ?? (at.isSpent() ? MANY_FILES : undefined))

export const MANY_FILES = 'it names too many files to be judged'

/** The reason that git may not run without a question; undefined if it may. */
function whyNotGit(args: readonly string[], at: CommandEnvironment): string | undefined {
  if (args.length === 1 && args[0] === '--version') return undefined
  switch (at.repository) {
    case 'own':
      return undefined
    case 'none':
      // Without a repository it compares any two files.
      return args.includes('diff') ? 'there is no repository here' : undefined
    case 'other':
      return 'the repository here may name programs that git would run'
  }
}

/** Programs that open what a link leads to when they are given its name. */
const FOLLOWS = new Set(['ls', 'wc', 'grep', 'rg', 'tree', 'file'])

/** The reason that it may read elsewhere, or take a name for an option; undefined if it cannot. */
function whyNotLook({ name, words, paths }: ReadContext, at: CommandEnvironment): string | undefined {
  const globs = words.filter(word => word.glob).map(word => word.value)
  // Of two directories it compares the files, and follows links among them.
  const compared = name === 'diff' ? paths.map(word => word.value) : []
  const dirs = [...(FOLLOWS.has(name) ? globs.map(glob => dirname(glob)) : []), ...compared]
  const link = dirs.flatMap(dir => linksIn(dir, at)).find(path => !at.isInside(path))
  if (link !== undefined) return `it may follow a link out of the workspace: ${link}`
  const isLoose = globs.some(glob => !glob.includes('/'))
  return isLoose && at.locate('.').some(place => at.entries(place).some(entry => entry.name.startsWith('-')))
    ? 'a wildcard in it may stand for an option'
    : undefined
}

const linksIn = (dir: string, { entries, locate }: CommandEnvironment): readonly string[] =>
  locate(dir).flatMap(one =>
    entries(one)
      .filter(entry => entry.isLink)
      .map(entry => join(one, entry.name)),
  )
