/**
 * Judges a command line, sub-command by sub-command: which of them only read, and why the others do not. Pure: its
 * environment resolves paths.
 */
import { dirname } from 'node:path'
import type { PathGuard } from '../path-guard.ts'
import { type GuardMatch, meetGuarded, rememberLooks } from './guarded-command.ts'
import { isAboveHidden, readsHidden } from './hidden-places.ts'
import { createListing } from './listing.ts'
import {
  type Hazard,
  type ParsedCommand,
  parseCommand,
  type ShellRedirect,
  type ShellWord,
  type SimpleCommand,
} from './parse-command.ts'
import { createPlaces, type PlaceLooks } from './places.ts'
import { isPlainLine, plainPartsOf } from './plain-line.ts'
import { type DirectoryEntry, findReadHazard, MANY_FILES, type Repository } from './read-hazards.ts'
import { READ_ONLY_PROGRAMS, type ReadOnlyProgram } from './read-only-programs.ts'
import { unwrap } from './unwrap.ts'

export interface JudgedCommand {
  /** The sub-command as rules see it: without wrappers. */
  readonly text: string
  /** The wrapped forms it came in, outermost first; deny rules look at these too. */
  readonly forms: readonly string[]
  /** The reason that it is not read-only; undefined if it is. */
  readonly because?: string
  /** It writes here, through redirections. */
  readonly writes: readonly string[]
  /** The absolute paths that these may mean. */
  readonly targets: readonly string[]
  /** Its effect is not in its text, so no command rule can allow it. */
  readonly hazard?: boolean
  /** The guarded file that it names or may open; undefined when it can open none. */
  readonly meets: (guard: PathGuard) => GuardMatch | undefined
}

export type JudgedLine =
  | { readonly ok: true; readonly commands: readonly JudgedCommand[] }
  | { readonly ok: false; readonly reason: string }

export interface ShellSurroundings extends PlaceLooks {
  /** Directories below the roots that no call reads as a side effect; canonical. */
  readonly hidden?: readonly string[]
  /** The entries of a directory; empty if it is missing or unreadable. */
  readonly entries: (dir: string) => readonly DirectoryEntry[]
  /** Whose repository git would work with in the working directory. */
  readonly repository: Repository
}

const MAX_DEPTH = 8
const SAFE_VARIABLES =
  /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CI|COLUMNS|LINES|TERM|CLICOLOR|[a-z][a-z0-9_]*)$/
const SAFE_TARGETS = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/stdin', '/dev/tty'])

export function judgeCommand(source: string, around: ShellSurroundings): JudgedLine {
  const parsed = parseCommand(source)
  if (!parsed.ok) return parsed
  const line = { source, loops: parsed.loopVariables, namesOnly: parsed.commands.every(passesNames) }
  const judge = createJudge(around, line)
  const commands = parsed.commands.flatMap(command => judge(command, [], 0))
  const groups =
    parsed.redirects.length > 0
      ? judge({ words: [], assignments: [], redirects: parsed.redirects, text: source }, [], 0)
      : []
  const isPlain = plainPartsOf(source)
  const parts = [...commands, ...groups].map(one =>
    [one.text, ...one.forms].every(isPlain) ? one : asking(one),
  )
  const all = [...parts, ...hazardsOf(source, parsed)]
  const isClear = all.some(one => one.because !== undefined) || isPlainLine(source)
  return { ok: true, commands: isClear ? all : [...all, toHazard({ text: source, because: NOT_LISTED })] }
}

/** Hazards to ask about, whatever the commands of the line are and whatever rules allow them. */
function hazardsOf(
  source: string,
  { hazards, loopVariables }: Extract<ParsedCommand, { ok: true }>,
): readonly JudgedCommand[] {
  const loop = [...loopVariables.keys()].find(name => !SAFE_VARIABLES.test(name))
  return [
    ...hazards,
    // Text that some programs take for a number: `test -v`, `printf %d`, `let`.
    ...(SUBSCRIPT.test(source)
      ? [{ text: source, because: 'an array subscript in it could run a command' }]
      : []),
    ...(loop === undefined ? [] : [{ text: source, because: `a loop in it sets ${loop}` }]),
  ].map(toHazard)
}

const SUBSCRIPT = /\[[^\]]*(\$\(|`)/

const toHazard = ({ text, because }: Hazard): JudgedCommand => ({
  text,
  forms: [text],
  because,
  writes: [],
  targets: [],
  hazard: true,
  meets: mayMeet,
})

/** A command that cannot be judged may open anything. */
const mayMeet: JudgedCommand['meets'] = ({ rule }) => ({ rule, isCertain: false })

const NOT_LISTED = 'this form is not on the list of those that surely only read'

/** However harmless a part looks, when it is not plain it asks. */
const asking = (command: JudgedCommand): JudgedCommand => ({
  ...command,
  because: command.because ?? NOT_LISTED,
})

type CommandJudge = (
  command: SimpleCommand,
  forms: readonly string[],
  depth: number,
) => readonly JudgedCommand[]

interface Line {
  readonly source: string
  readonly loops: ReadonlyMap<string, readonly ShellWord[]>
  readonly namesOnly: boolean
}

/** Lines that change what `~`, a wildcard or a path means. */
const CHANGES_PATHS = /\b(HOME|PWD|OLDPWD|CDPATH|GLOBIGNORE|shopt|chroot|alias)\b/

function createJudge(around: ShellSurroundings, { source, loops, namesOnly }: Line): CommandJudge {
  const places = createPlaces(around)
  let isLost = CHANGES_PATHS.test(source)
  const { locate, contains } = places
  const listing = createListing(around.entries)
  const looksFor = rememberLooks({ locate, listing, isLost: () => isLost })
  // A workspace may itself lie in a hidden directory; then that one hides nothing of it.
  const hidden = (around.hidden ?? []).filter(dir => !`${around.realPath(around.cwd)}/`.startsWith(`${dir}/`))
  const where = { hidden, locate, realPath: around.realPath }

  const inside = (path: string): boolean => SAFE_TARGETS.has(path) || places.isInside(path)

  const isKnownInside = (word: ShellWord): boolean =>
    word.found ? isFoundInside(word) : !word.dynamic && inside(word.value)

  /** Matches are in the searched directory; above a hidden directory, they may be inside it. */
  const isFoundInside = (word: ShellWord): boolean =>
    (!word.dynamic || namesOnly) && !isAboveHidden('.', where)

  function reason(command: SimpleCommand): string | undefined {
    const risky = command.assignments.find(name => !SAFE_VARIABLES.test(name))
    if (risky !== undefined) return `it sets ${risky}`
    const write = command.redirects.find(redirect => !isHarmless(redirect, inside))
    if (write) return `it redirects ${write.operator} ${write.target?.value ?? ''}`.trim()
    const [name, ...args] = command.words
    if (!name) return undefined
    return name.dynamic ? 'the program is chosen at run time' : judgeName(name.value, args)
  }

  function judgeName(name: string, args: readonly ShellWord[]): string | undefined {
    if (name === 'cd' || name === 'pushd') return enter(args)
    if (name === 'popd') return undefined
    const program = READ_ONLY_PROGRAMS.get(name)
    return program ? judgeProgram(name, program, args) : `${name} is not known to be read-only`
  }

  function enter(args: readonly ShellWord[]): string | undefined {
    const target = args.find(arg => !/^-[LPe@]+$/.test(arg.value))
    if (target?.dynamic) return 'it changes to a directory known only at run time'
    const path = target?.value ?? '~'
    return path === '-' ? undefined : places.enter(path)
  }

  function judgeProgram(
    name: string,
    program: ReadOnlyProgram,
    args: readonly ShellWord[],
  ): string | undefined {
    const words = args.flatMap(arg => expand(arg, loops))
    if (!program.dynamic && words.some(word => word.dynamic))
      return `an argument of ${name} is known only at run time`
    const texts = words.map(word => word.value)
    if (!program.allows(texts.filter((_, i) => !words[i]?.dynamic)))
      return `${name} is not read-only with these arguments`
    const paths = pathWords(program, words)
    const outside = paths.find(word => !isKnownInside(word))
    if (!outside) {
      if (readsHidden({ name, args: texts, paths: paths.map(lookedThrough) }, where)) return OWN_DATA
      return findReadHazard({ name, words, paths }, { ...around, ...listing, locate, isInside: contains })
    }
    if (places.isSpent()) return MANY_FILES
    return outside.dynamic
      ? `which file ${name} opens is known only at run time`
      : `it reads outside the workspace: ${outside.value}`
  }

  return function judge(command, forms, depth): readonly JudgedCommand[] {
    const writes = writesOf(command, inside)
    const targets = writes.flatMap(locate)
    const self = { text: command.text, forms: [...forms, command.text], writes, targets, meets: mayMeet }
    if (depth > MAX_DEPTH) return [{ ...self, because: 'it is nested too deeply' }]
    const unwrapped = unwrap(command)
    if (!unwrapped) {
      const because = reason(command)
      isLost ||= because !== undefined && /^(cd|pushd|popd)$/.test(command.words[0]?.value ?? '')
      const words = command.words.flatMap(word => expand(word, loops))
      const meets = (guard: PathGuard) => meetGuarded({ ...command, words }, looksFor(guard))
      return [{ ...self, meets, ...(because === undefined ? {} : { because }) }]
    }
    if ('unknown' in unwrapped) return [{ ...self, because: `it cannot be judged: ${unwrapped.unknown}` }]
    const hazards = unwrapped.hazards?.map(({ because }) => ({ ...self, because })) ?? []
    const children = [...unwrapped.commands.flatMap(one => judge(one, self.forms, depth + 1)), ...hazards]
    if (unwrapped.harmless) return children
    return children.map(child => ({
      ...child,
      because: child.because ?? `${command.words[0]?.value} changes how it runs`,
      meets: guard => child.meets(guard) ?? mayMeet(guard),
    }))
  }
}

/** Matches of a wildcard are in its directory. */
const lookedThrough = ({ value, glob }: ShellWord): string => (glob ? dirname(value) : value)

const OWN_DATA = "it would read the server's own data on its way"

/** Prints only names of files below the searched directories, or passes such names on. */
function passesNames({ words }: SimpleCommand): boolean {
  const [name = '', ...args] = words.map(word => word.value)
  if (/^(find|fd|ls|xargs|sort|head|tail|uniq)$/.test(name)) return !args.includes('-printf')
  if (name === 'git') return args[0] === 'ls-files' || args.includes('--name-only')
  return (
    /^(rg|grep)$/.test(name) && args.some(arg => /^(-[a-z]*l[a-z]*|--files|--files-with-matches)$/i.test(arg))
  )
}

/** A loop variable takes each of the words it iterates over. */
function expand(word: ShellWord, loops: ReadonlyMap<string, readonly ShellWord[]>): readonly ShellWord[] {
  const [name, ...more] = word.variables ?? []
  const values = name === undefined || more.length > 0 ? undefined : loops.get(name)
  const whole = word.value === `$${name}` && values !== undefined && values.every(value => !value.dynamic)
  return whole ? values : [word]
}

function pathWords(program: ReadOnlyProgram, words: readonly ShellWord[]): readonly ShellWord[] {
  if (program.paths === 'none') return []
  // A pattern given by option leaves no pattern among the other words.
  const byOption = words.some(word =>
    /^(-[a-zA-Z]*[ef]|--regexp.*|--file.*|--from-file.*|--files|--type-list)$/.test(word.value),
  )
  let skip = program.paths === 'rest' && !byOption ? 1 : 0
  return words.flatMap(word => {
    if (word.value.startsWith('-') && !word.dynamic) return attachedPath(word)
    return skip-- > 0 ? [] : [word]
  })
}

/** `--file=/x` and `-f/x` name a file too. */
function attachedPath(word: ShellWord): readonly ShellWord[] {
  const value = /^--[^=]+=(.*)$/s.exec(word.value)?.[1] ?? /^-[A-Za-z]+([/~].*)$/s.exec(word.value)?.[1]
  return value !== undefined && /^[/~]|\.\./.test(value) ? [{ ...word, value }] : []
}

const writesOf = ({ redirects }: SimpleCommand, inside: (path: string) => boolean): readonly string[] =>
  redirects.flatMap(one => (isHarmless(one, inside) ? [] : [one.target?.value ?? '']))

function isHarmless(redirect: ShellRedirect, inside: (path: string) => boolean): boolean {
  const { operator, target } = redirect
  if (!target) return false
  const fd = /^(\d+|-|\d+-)$/.test(target.value) && !target.dynamic
  if ((operator === '>&' || operator === '<&') && fd) return true
  if (target.dynamic) return false
  if (operator === '<') return inside(target.value)
  return SAFE_TARGETS.has(target.value)
}
