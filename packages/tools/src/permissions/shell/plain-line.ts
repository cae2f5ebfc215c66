/**
 * The final check before a command line runs without a question. The grammar and the tables beside this file
 * describe a line as far as they understand it; shells and programs have more corner cases than any table. So a
 * line passes only if it is plain: literal words, no expansion, no wrapper, a program from this list, and options
 * from the list of that program. Everything else asks. Extending this list needs a reason why no option of a
 * program can write, run another program, reach the network or read a file that the path check does not see.
 */
import { climbsFromName, hasPlainTildes } from './path-words.ts'

/**
 * Returns a check for the sub-commands of a line: true for plain forms; false for all if the line as a whole is
 * not plain text. Pure; false when in doubt.
 */
export function plainPartsOf(line: string): (part: string) => boolean {
  const commands = splitLine(line)
  // The first word of a condition or a loop does not describe its content.
  if (!commands || commands.some(words => KEYWORDS.has(words[0]?.text ?? ''))) return () => false
  const moves = commands.some(words => isMoving(words.map(word => word.text)))
  return part => {
    const words = splitLine(part)
    if (words?.length !== 1 || !words[0]) return false
    // A repository of another directory brings its own configuration, which can name programs.
    if (moves && words[0][0]?.text === 'git') return false
    return isPlainCommand(words[0])
  }
}

/**
 * True if the line consists of plain commands alone, by its text: a second opinion on the grammar's result. An
 * empty line or a comment does nothing. Pure.
 */
export function isPlainLine(line: string): boolean {
  if (line.split('\n').every(one => /^[ \t]*(#|$)/.test(one))) return true
  const isPlain = plainPartsOf(line)
  return splitLine(line)?.every(words => isPlain(quoted(untimed(words)))) ?? false
}

const untimed = (words: readonly PlainWord[]): readonly PlainWord[] =>
  words[0]?.text === 'time' ? untimed(words.slice(1)) : words

const quoted = (words: readonly PlainWord[]): string => words.map(word => word.source).join(' ')

const isMoving = ([first, ...rest]: readonly string[]): boolean =>
  first === 'cd' || (first === 'time' && rest.includes('cd'))

const KEYWORDS: ReadonlySet<string> = new Set(
  'if then else elif fi for while until do done case esac select function coproc in'.split(' '),
)

/** Blanks as the shell knows them: any other space is part of a word. */
const TOKEN =
  /[ \t]*(?:((?:\|\||&&|[|;]|\n)[ \t\n]*)|((?:[A-Za-z0-9_./,:@%+=^~*?[\]-]|'[^'\n]*'|"[^"$`\\!\n]*")+|(?:[12&]?>[ \t]?\/dev\/null|2>&1)(?=[ \t\n]|$|[|;&])))/y

interface PlainWord {
  /** With the quotes taken off. */
  readonly text: string
  readonly source: string
  /** The shell puts names of files in its place. */
  readonly isGlob: boolean
}

/** Blanks as the shell knows them. By steps: a pattern would take quadratic time for many blanks inside. */
function trimBlanks(text: string): string {
  const isBlank = (at: number): boolean => ' \t\n'.includes(text[at] ?? '?')
  let from = 0
  let to = text.length
  while (from < to && isBlank(from)) from++
  while (to > from && isBlank(to - 1)) to--
  return text.slice(from, to)
}

/** Words of each sub-command; undefined when anything is not plain text. */
function splitLine(source: string): readonly (readonly PlainWord[])[] | undefined {
  const commands: PlainWord[][] = [[]]
  const text = trimBlanks(source)
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text)
    if (!match) return undefined
    const [, operator, word] = match
    if (operator !== undefined) commands.push([])
    else if (word !== undefined && !word.includes('>')) commands.at(-1)?.push(toWord(word))
  }
  return commands.some(words => words.length === 0) ? undefined : commands
}

const toWord = (source: string): PlainWord => ({
  text: source.replace(/['"]/g, ''),
  source,
  isGlob: GLOB.test(source.replace(/'[^']*'|"[^"]*"/g, '')),
})

/** Names come from outside: `__proto__` is no entry of any table. */
const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

function isPlainCommand([first, ...words]: readonly PlainWord[]): boolean {
  const program = first?.text ?? ''
  const args = words.map(word => word.text)
  // `x=1` is an assignment.
  if (first?.isGlob || program.includes('=') || args.some(climbsFromName)) return false
  if (!words.every(word => hasPlainTildes(word.source))) return false
  if (!words.every((word, i) => !word.isGlob || isGlobSafe(program, word.text, args.slice(0, i))))
    return false
  if (own(VERSION, program)?.some(flag => args.length === 1 && args[0] === flag)) return true
  const special = own(SPECIAL, program)
  if (special) return special(args)
  const options = own(OPTIONS, program)
  return options !== undefined && args.every(arg => !arg.startsWith('-') || arg === '-' || options.test(arg))
}

const GLOB = /[*?[]/
/** These print only a file's name, size and matching lines. */
const LISTS = new Set(['ls', 'wc', 'du', 'stat', 'find', 'grep', 'rg', 'git', 'echo', 'tree', 'file'])
/** None of the options of these writes, or runs a program. */
const TAKES_ANY_OPTION = new Set(['ls', 'wc', 'du', 'stat', 'echo'])

/**
 * A wildcard may match a link that leads outside, so only listing programs may have one, at the end of a path:
 * `.*` matches `..` too, and `*\/x` goes through links. It may also match a name that is an option, such as
 * `--pre=sh`, unless the word starts with something else or is where no option can be.
 */
function isGlobSafe(program: string, word: string, before: readonly string[]): boolean {
  if (!LISTS.has(program) || /(^|\/)\.[^/]*[*?[]/.test(word) || /[*?[].*\//.test(word)) return false
  if (!/^[-*?[]/.test(word)) return true
  return TAKES_ANY_OPTION.has(program) || (program === 'git' && before.includes('--'))
}

/** Short options, or long ones whose value names no path. */
const ANY = /^(-[A-Za-z0-9]+|--[a-z][a-z-]*(=[\w.,:+%]*)?)$/
const OPTIONS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    'cat head tail nl tac rev stat basename dirname realpath readlink tr cmp od fold seq whoami id groups uname arch nproc pwd echo true false which df'
      .split(' ')
      .map(name => [name, ANY]),
  ),
  // Without `-L` and `-H`: they describe what is behind the links that they meet.
  ls: /^(-[A-GI-KM-Za-z0-9]+|--(?!de)[a-z][a-z-]*(=[\w.,:+%]*)?)$/,
  // Without `-c`: it opens the files that a list names.
  ...Object.fromEntries(
    'md5sum sha1sum sha256sum sha512sum'
      .split(' ')
      .map(name => [name, /^(-[btz]+|--(binary|tag|text|zero))$/]),
  ),
  wc: /^-[clmwL]+$/,
  du: /^-[abchklmsxd0-9]+$/,
  cut: /^-[bcfds][\w,.:;-]*$/,
  sort: /^(-[bdfgiMhnRrVucz]+|-k[\d.,a-z]*|-t.?)$/,
  // Not `-r`: it follows the links that it meets.
  diff: /^(-[abBiquyNwsU0-9]+|--(brief|unified|side-by-side|color|ignore-[a-z-]+))$/,
  tree: /^-[adfLI0-9]+$/,
  // Not `-R`, nor `-L` of rg: they follow the links that they meet.
  grep: /^(-[nrilLcvwHhoEFGxsqaABC0-9]+|--(include|exclude|exclude-dir)=[\w.*?{},-]+|--color(=\w+)?|--(line-number|recursive|ignore-case|count|word-regexp))$/,
  rg: /^(-[nilcvwFoSsuUHhNABCgt0-9]+|--(files|hidden|no-ignore|line-number|count|ignore-case|files-with-matches|heading|no-heading|json)|--(type|sort|max-count|color)=\w+|--glob=[\w.*?!-]+)$/,
  file: /^-[bi]+$/,
}

const FIND =
  /^-(name|iname|path|ipath|type|maxdepth|mindepth|size|mtime|mmin|newer|empty|print|print0|not|o|a|or|and|prune)$/
const GIT_OPTIONS =
  /^(--(oneline|stat|shortstat|name-only|name-status|cached|staged|short|porcelain|branch|all|graph|decorate|no-color|no-merges|reverse|abbrev-commit|show-toplevel|abbrev-ref|others|exclude-standard|tags|always|follow)|--(since|until|author|max-count)=[\w.: -]+|-[psnusbLv0-9]+)$/
const GIT_READS = new Set([
  'status',
  'log',
  'diff',
  'show',
  'ls-files',
  'rev-parse',
  'blame',
  'describe',
  'shortlog',
])
const GIT_LISTS: Readonly<Record<string, RegExp>> = {
  branch: /^(-[arv]+|--all|--list|--show-current)$/,
  tag: /^(-l|--list)$/,
  remote: /^-v$/,
  stash: /^list$/,
}

const SPECIAL: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  cd: args => args.length === 1 && !args[0]?.startsWith('-'),
  date: args => args.every(arg => arg === '-u' || arg.startsWith('+')),
  // By name: `e` in another place, or among others, prints the environment of every process.
  ps: args => args.every(arg => /^(-e|-f|-ef|-A|-Af|a|x|ax|axu|aux|auxw|auxww|axf|auxf)$/.test(arg)),
  hostname: args => args.length === 0,
  sleep: args => args.every(arg => /^\d+(\.\d+)?[smh]?$/.test(arg)),
  uniq: args => args.every(arg => /^-[cdDiu]+$/.test(arg)),
  command: args => args.length === 2 && args[0] === '-v',
  type: args => args.every(arg => !arg.startsWith('-')),
  find: args => args.every(arg => (arg.startsWith('-') ? FIND.test(arg) : !/^[!(),]/.test(arg))),
  // A range of lines, which is what people mean by it most of the time.
  sed: ([flag, script = '', ...files]) =>
    flag === '-n' && /^\d+(,(\d+|\$))?p$/.test(script) && files.every(file => !file.startsWith('-')),
  git: args => isPlainGit(args[0] === '--no-pager' ? args.slice(1) : args),
}

function isPlainGit([sub = '', ...args]: readonly string[]): boolean {
  const list = own(GIT_LISTS, sub)
  if (list) return (sub !== 'stash' || args.length > 0) && args.every(arg => list.test(arg))
  return (
    GIT_READS.has(sub) && args.every(arg => !arg.startsWith('-') || arg === '--' || GIT_OPTIONS.test(arg))
  )
}

/**
 * Programs that are only asked for their version. None that the project chooses: yarn and pnpm run, or fetch, the
 * one that a file of the project names, and so do cargo and rustc behind rustup.
 */
const VERSION: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    'git python python3 pip pip3 ruby java gcc g++ make cmake docker tsc deno'
      .split(' ')
      .map(name => [name, ['--version']]),
  ),
  ...Object.fromEntries('node npm bun'.split(' ').map(name => [name, ['--version', '-v']])),
  // It would fetch the version that go.mod names, unless it is pinned.
  go: ['version'],
}
