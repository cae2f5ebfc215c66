/**
 * A pattern in ripgrep's syntax as a regular expression of JavaScript that finds the same. What has no such form
 * is refused: a search never means something else without ripgrep than it does with it.
 */
import { readClass } from './ripgrep-class.ts'
import { escapeAt, PatternError } from './ripgrep-escape.ts'

interface PatternOptions {
  readonly ignore_case: boolean
  /** The pattern may span lines, and `.` matches their ends. */
  readonly multiline: boolean
}

export interface Pattern {
  /** Global. */
  readonly regexp: RegExp
  /** It may match the end of a line; otherwise every match is inside of one. */
  readonly spans: boolean
}

/** Throws `PatternError` or a `SyntaxError` that says what is wrong. */
export function toPattern(pattern: string, { ignore_case, multiline }: PatternOptions): Pattern {
  const flags: Flags = { i: undefined, m: true, s: multiline }
  const draft: PatternDraft = {
    ...{ pattern, multiline, flags, at: 0, out: '', atom: undefined, isRepeated: false, spans: false },
    groups: [{ start: 0, outer: flags, open: '' }],
  }
  while (draft.at < pattern.length) step(draft)
  if (draft.groups.length > 1) throw new PatternError('unclosed group')
  closeFlags(draft)
  return { regexp: new RegExp(draft.out, `gv${ignore_case ? 'i' : ''}`), spans: multiline && draft.spans }
}

interface Flags {
  readonly i: boolean | undefined
  readonly m: boolean
  readonly s: boolean
}

interface Group {
  /** Its start in the output. */
  readonly start: number
  /** Flags outside of it. */
  readonly outer: Flags
  /** `(?i:` opened by a flag; it ends with the group or its alternative. */
  open: string
}

interface PatternDraft {
  readonly pattern: string
  readonly multiline: boolean
  readonly groups: Group[]
  at: number
  out: string
  /** Start of the last repeatable item; undefined without one. */
  atom: number | undefined
  isRepeated: boolean
  spans: boolean
  flags: Flags
}

/** Characters with a special meaning. */
const SIGNS: Readonly<Record<string, (draft: PatternDraft) => void>> = {
  '(': openGroup,
  ')': closeGroup,
  '[': bracket,
  '|': alternative,
  '\\': escaped,
  '*': repeat,
  '+': repeat,
  '?': repeat,
  '{': repeat,
  '.': draft => one(draft, draft.flags.s ? '[\\s\\S]' : '[^\\n]', 1),
  '^': draft => assertion(draft, draft.flags.m ? '(?<![^\\n])' : '(?<![\\s\\S])', 1),
  $: draft => assertion(draft, draft.flags.m ? '(?![^\\n])' : '(?![\\s\\S])', 1),
}

function step(draft: PatternDraft): void {
  const char = String.fromCodePoint(draft.pattern.codePointAt(draft.at) ?? 0)
  const sign = SIGNS[char]
  if (sign) sign(draft)
  else if (char === '\n' && !draft.multiline)
    throw new PatternError('the literal "\\n" is not allowed without multiline')
  else one(draft, /[\]}/]/.test(char) ? `\\${char}` : char, char.length)
}

function add(draft: PatternDraft, text: string, length: number): void {
  draft.atom = draft.out.length
  draft.isRepeated = false
  draft.out += text
  draft.at += length
}

/** Something that matches one character. */
function one(draft: PatternDraft, text: string, length: number): void {
  draft.spans ||= new RegExp(`^${text}$`, 'v').test('\n')
  add(draft, text, length)
}

/** Ripgrep lets assertions be repeated, JavaScript only groups that hold them. */
function assertion(draft: PatternDraft, text: string, length: number): void {
  add(draft, `(?:${text})`, length)
}

function escaped(draft: PatternDraft): void {
  const { type, text, length } = escapeAt(draft.pattern, draft.at, draft.multiline)
  if (type === 'assertion') assertion(draft, text, length)
  else one(draft, text, length)
}

function bracket(draft: PatternDraft): void {
  const { text, length } = readClass(draft.pattern, draft.at, draft.multiline)
  one(draft, text, length)
}

function openGroup(draft: PatternDraft): void {
  const rest = draft.pattern.slice(draft.at)
  if (/^\(\?<?[=!]/.test(rest)) throw new PatternError('look-around is not supported')
  const named = /^\(\?P?<([A-Za-z_]\w*)>/.exec(rest)
  const flagged = /^\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])/.exec(rest)
  if (!named && !flagged && rest.startsWith('(?'))
    throw new PatternError(`unrecognized group ${rest.slice(0, 4)}`)
  if (flagged?.[3] === ')') setFlags(draft, flagged)
  else beginGroup(draft, named, flagged)
}

function beginGroup(
  draft: PatternDraft,
  named: RegExpExecArray | null,
  flagged: RegExpExecArray | null,
): void {
  if (named && draft.out.includes(`(?<${named[1]}>`)) throw new PatternError('duplicate capture group name')
  draft.groups.push({ start: draft.out.length, outer: draft.flags, open: '' })
  draft.atom = undefined
  draft.at += (named ?? flagged)?.[0].length ?? 1
  if (flagged) draft.flags = changed(draft.flags, flagged)
  if (named) draft.out += `(?<${named[1]}>`
  else draft.out += flagged ? opening(draft.flags) : '('
}

/** They count until the group ends. */
function setFlags(draft: PatternDraft, found: RegExpExecArray): void {
  if ((found[1] ?? '') + (found[2] ?? '') === '')
    throw new PatternError('repetition operator missing expression')
  draft.at += found[0].length
  draft.atom = undefined
  draft.flags = changed(draft.flags, found)
  closeFlags(draft)
  const group = current(draft)
  group.open = opening(draft.flags)
  draft.out += group.open
}

function current({ groups }: PatternDraft): Group {
  const group = groups.at(-1)
  if (!group) throw new PatternError('unopened group')
  return group
}

function closeFlags(draft: PatternDraft): void {
  if (current(draft).open !== '') draft.out += ')'
}

function closeGroup(draft: PatternDraft): void {
  closeFlags(draft)
  const group = draft.groups.pop()
  if (!group || draft.groups.length === 0) throw new PatternError('unopened group')
  draft.out += ')'
  draft.at++
  draft.flags = group.outer
  draft.atom = group.start
  draft.isRepeated = false
}

function alternative(draft: PatternDraft): void {
  closeFlags(draft)
  draft.out += `|${current(draft).open}`
  draft.at++
  draft.atom = undefined
}

function repeat(draft: PatternDraft): void {
  const found = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(draft.pattern.slice(draft.at))
  if (draft.atom === undefined) throw new PatternError('repetition operator missing expression')
  if (!found) throw new PatternError('repetition quantifier expects a valid decimal')
  // A repetition may be repeated again.
  if (draft.isRepeated) draft.out = `${draft.out.slice(0, draft.atom)}(?:${draft.out.slice(draft.atom)})`
  draft.out += found[0]
  draft.at += found[0].length
  draft.isRepeated = true
}

const opening = ({ i }: Flags): string => (i === undefined ? '(?:' : i ? '(?i:' : '(?-i:')

function changed(flags: Flags, [, on = '', off = '']: RegExpExecArray): Flags {
  const unknown = /[^imsu]/.exec(on) ?? /[^ims]/.exec(off)
  if (unknown) throw new PatternError(`the flag ${unknown[0]} is not understood without ripgrep`)
  const value = (name: string, before: boolean | undefined): boolean | undefined =>
    on.includes(name) ? true : off.includes(name) ? false : before
  return {
    i: value('i', flags.i),
    m: value('m', flags.m) ?? true,
    s: value('s', flags.s) ?? false,
  }
}
