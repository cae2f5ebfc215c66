/**
 * Finds guarded files that a command may open. A word that names one is certain; a wildcard, an expansion, an
 * enclosing directory or a script leaves it open. Pure but for lookups of its environment. Returns "may" when in
 * doubt.
 */
import { basename, dirname } from 'node:path'
import { globMatcher } from '../../globs/glob-matcher.ts'
import type { PathGuard } from '../path-guard.ts'
import type { Rule } from '../rules.ts'
import { mayPrintAny } from './guarded-git.ts'
import type { Listing } from './listing.ts'
import { createLookBudget } from './look-budget.ts'
import type { ShellWord, SimpleCommand } from './parse-command.ts'
import { canExist, climbsFromName } from './path-words.ts'
import { READ_ONLY_PROGRAMS } from './read-only-programs.ts'

export interface GuardMatch {
  readonly rule: Rule
  /** The command names a file of the rule; otherwise it may open one. */
  readonly isCertain: boolean
}

export interface GuardedPlaces {
  /** Every absolute path that a path, as written in the line, may mean. */
  readonly locate: (path: string) => readonly string[]
  readonly listing: Listing
  /** The line's directory, or the meaning of a path there, could not be followed. */
  readonly isLost: () => boolean
}

/** Paths looked up for one line; with more it may open any. */
const MAX_LOOKS = 200

/** These open nothing that their words name. */
const OPENS_NOTHING = new Set(
  'echo printf true false : pwd sleep seq test [ exit return break continue shift wait whoami id kill'.split(
    ' ',
  ),
)
/** For directories these print names alone, or create them. */
const LISTS = new Set(
  'ls dir vdir find fd tree du df stat file cd pushd mkdir rmdir touch chmod basename dirname realpath readlink'.split(
    ' ',
  ),
)
/** Their first word is a pattern, unless an option gives it. */
const SEARCHES = new Set(['grep', 'egrep', 'fgrep', 'zgrep', 'rg', 'ag', 'jq', 'yq'])
const SCRIPTED = new Set(['sed', 'awk', 'gawk', 'mawk'])
const INTERPRETER = /^(python[\d.]*|node|deno|bun|tsx|perl|ruby|php|lua|bash|sh|zsh|dash|ksh|fish|osascript)$/

/** The loop variables of the command are replaced. Undefined when it opens nothing that is guarded. */
export function meetGuarded(command: SimpleCommand, looks: GuardedLooks): GuardMatch | undefined {
  const { guard, places } = looks
  const [name, ...args] = command.words
  const program = name?.dynamic ? '' : basename(name?.value ?? '')
  const opened = [...targetsOf(command), ...(name ? [name] : []), ...wordsOf(program, args)]
  const named = strongest(opened.map(word => (word.dynamic ? undefined : looks.named(word))))
  if (named) return { rule: named, isCertain: true }
  const isOpen =
    looks.areMany() ||
    opened.some(word => word.dynamic || word.found || !isFollowed(word.value)) ||
    (name !== undefined && !OPENS_NOTHING.has(program) && (places.isLost() || runsScript(program, args)))
  if (isOpen) return { rule: guard.rule, isCertain: false }
  const rule = ruleAround(program, args, opened, looks)
  return rule && { rule, isCertain: false }
}

/** The words that may name files; a pattern is not among them. */
function wordsOf(program: string, args: readonly ShellWord[]): readonly ShellWord[] {
  if (OPENS_NOTHING.has(program)) return []
  const isGiven = args.some(({ value }) => /^-[A-Za-z]*[ef]|^--[rf]/.test(value))
  const at = SEARCHES.has(program) && !isGiven ? args.findIndex(({ value }) => !value.startsWith('-')) : -1
  const isTest = (word: ShellWord | undefined): boolean =>
    program === 'find' && /^-i?(path|name|wholename|regex)$/.test(word?.value ?? '')
  return args.filter(
    ({ value }, i) => i !== at && !isTest(args[i - 1]) && !/^--(exclude|exclude-dir|ignore)=/.test(value),
  )
}

/** Here-documents and descriptors open nothing. */
const targetsOf = ({ redirects }: SimpleCommand): readonly ShellWord[] =>
  redirects.flatMap(({ operator, target }) =>
    !target || operator.startsWith('<<') || /^(\d+-?|-)$/.test(target.value) ? [] : [target],
  )

/** The kernel follows a link before `..`, and `~x` is known to the shell alone. */
const isFollowed = (value: string): boolean =>
  !climbsFromName(value) && !/^~[^/]/.test(value) && value.split(SEPARATOR).length <= MAX_PARTS
const SEPARATOR = /[=:@,]/
const MAX_PARTS = 64

/** It runs a program that is in the line itself, or opens files that a list names. */
function runsScript(program: string, args: readonly ShellWord[]): boolean {
  const values = args.map(({ value }) => value)
  if (values.some(value => /^--(files0?-from|arg-file|files-from)/.test(value))) return true
  if (program === 'tar' && values.some(value => /^-?[A-Za-z]*T/.test(value))) return true
  if (SCRIPTED.has(program)) return READ_ONLY_PROGRAMS.get(program)?.allows(values) !== true
  if (!INTERPRETER.test(program)) return false
  const isAsked = values.some(
    value => !value.startsWith('-') || /^(-v|-V|-h|--(version|help|test))$/.test(value),
  )
  return !isAsked || values.some(value => /^-[A-Za-z]*[cepErR]|^--(eval|print|run)|^eval$|^-$/.test(value))
}

/** Lookups of one line's commands in a guard. */
interface GuardedLooks {
  readonly guard: PathGuard
  readonly places: GuardedPlaces
  /** The rule that names one of the files that the word may mean. */
  readonly named: (word: ShellWord) => Rule | undefined
  /** A rule that may name something at this path or below. */
  readonly around: (path: string) => Rule | undefined
  readonly areMany: () => boolean
}

/** The same looks for the same guard, so that all commands of a line share them. */
export function rememberLooks(places: GuardedPlaces): (guard: PathGuard) => GuardedLooks {
  const known = new Map<PathGuard, GuardedLooks>()
  return guard => {
    const looks = known.get(guard) ?? createLooks(places, guard)
    known.set(guard, looks)
    return looks
  }
}

function createLooks(places: GuardedPlaces, guard: PathGuard): GuardedLooks {
  const budget = createLookBudget(MAX_LOOKS)
  const name = budget.remember<Rule | undefined>(guard.ruleFor, undefined)
  const below = budget.remember<Rule | undefined>(guard.ruleBelow, undefined)
  const first = (paths: readonly string[], look: PathGuard['ruleFor']): Rule | undefined =>
    strongest(paths.flatMap(path => (budget.isSpent() ? [] : places.locate(path).map(look))))
  return {
    guard,
    places,
    named: word => first(pathsIn(word), name),
    around: path => first([path], below),
    areMany: () => budget.isSpent() || places.listing.isSpent(),
  }
}

const strongest = (rules: readonly (Rule | undefined)[]): Rule | undefined =>
  rules.find(rule => rule?.decision === 'deny') ?? rules.find(Boolean)

/** A word as a path: all of it, what follows `=`, `:`, `@` or a short option, and of a wildcard what is before it. */
function pathsIn({ value, glob }: ShellWord): readonly string[] {
  if (glob) return [globBase(value)]
  const url = /^file:\/\/(?:localhost)?(\/.*)$/.exec(value)?.[1]
  const option = /^-[A-Za-z](.+)$/.exec(value)?.[1]
  const parts = value.split(SEPARATOR).slice(0, MAX_PARTS)
  const tails = parts.length === 1 ? [] : tailsOf(value)
  const all = [value, url ?? '', option ?? '', ...parts, ...tails].filter(canExist)
  return [...new Set(all)]
}

/** The part after each separator. */
const tailsOf = (value: string): readonly string[] =>
  [...value.matchAll(/[=:@,]/g)].slice(0, MAX_PARTS).map(({ index }) => value.slice(index + 1))

const globBase = (value: string): string => {
  const segments = value.split('/')
  const at = segments.findIndex(segment => /[*?[]/.test(segment))
  return segments.slice(0, at === -1 ? segments.length : at).join('/') || (value.startsWith('/') ? '/' : '.')
}

/** A rule for something below a directory that the command reads, or among the matches of a wildcard or a text. */
function ruleAround(
  program: string,
  args: readonly ShellWord[],
  opened: readonly ShellWord[],
  { guard, places, named, around, areMany }: GuardedLooks,
): Rule | undefined {
  if (program === 'git') {
    const isKept = (path: string): boolean => named(literal(path)) === undefined && !around(path)
    return mayPrintAny(args, isKept) ? guard.rule : undefined
  }
  const first = (paths: readonly string[], look: (path: string) => Rule | undefined): Rule | undefined => {
    for (const path of paths) {
      const rule = look(path)
      if (rule) return rule
    }
    return areMany() ? guard.rule : undefined
  }
  const globs = opened.filter(word => word.glob).map(word => word.value)
  const matched = globs.flatMap(glob => (isDeepGlob(glob) ? [] : expandGlob(glob, places)))
  const found =
    first(globs.filter(isDeepGlob).map(globBase), around) ??
    first([...matched, ...opened.flatMap(textsIn)], path => named(literal(path)))
  if (found || LISTS.has(program) || OPENS_NOTHING.has(program)) return found
  const implied = readsHere(program, args) ? ['.'] : []
  const words = opened.filter(word => !word.glob).flatMap(pathsIn)
  return first([...implied, ...matched, ...words], around)
}

const literal = (value: string): ShellWord => ({ value, dynamic: false, variables: undefined })

/** More than one level of wildcards, or one in the middle. */
const isDeepGlob = (value: string): boolean => /[*?[].*\/|\*\*/.test(value)

/** The names that a final wildcard matches. */
function expandGlob(value: string, { locate, listing }: GuardedPlaces): readonly string[] {
  const last = basename(value)
  const fits = globMatcher(last, { nonegate: true })
  const isShown = (name: string): boolean => last.startsWith('.') || !name.startsWith('.')
  return locate(dirname(value)).flatMap(dir =>
    listing
      .compared(dir, last)
      .filter(({ name }) => isShown(name) && fits(name))
      .map(({ name }) => `${dir}/${name}`),
  )
}

/** Names inside of a longer text, such as the code of a program. */
const textsIn = ({ value }: ShellWord): readonly string[] =>
  /[\s'"`()<>|;&{}[\]]/.test(value)
    ? [...new Set(value.split(/[\s'"`()<>|;&{}[\]=:,@]+/))].filter(canExist)
    : []

/** True if it searches the current directory, because it names none. True if an option may take a word. */
function readsHere(program: string, args: readonly ShellWord[]): boolean {
  const values = args.map(({ value }) => value)
  const options = values.filter(value => value.startsWith('-'))
  const isSearch = program === 'rg' || program === 'ag' || /grep$/.test(program)
  if (!isSearch || values.includes('--files')) return false
  if (/grep$/.test(program) && !options.some(value => /^-[A-Za-z]*[rRd]|^--(d|r)/.test(value))) return false
  const flags = program === 'rg' ? RG_FLAGS : GREP_FLAGS
  const hasPath = values.length - options.length > 1 && options.every(value => flags.test(value))
  return program === 'ag' || !hasPath
}

/** Options that take no further word. */
const RG_FLAGS =
  /^(-[nilcvwFoSsuUHNIaPxqzp0]+|--[a-z-]+=.*|--(hidden|no-ignore|line-number|ignore-case|count))$/
const GREP_FLAGS = /^(-[nilcvwFosHhrRIaEGPxqLzUu]+|--[a-z-]+=.*|--(recursive|line-number|ignore-case|count))$/
