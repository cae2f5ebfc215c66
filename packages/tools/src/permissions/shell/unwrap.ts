/** Programs that run another program: what they run, so that it is judged instead of them. */
import {
  type Hazard,
  type ParsedCommand,
  parseCommand,
  type ShellWord,
  type SimpleCommand,
} from './parse-command.ts'

/** `command` is nothing but its inner commands; `wraps` says it does more than run them (sudo, exec). */
export interface InnerCommands {
  readonly commands: readonly SimpleCommand[]
  /** Its content beside commands. */
  readonly hazards?: readonly Hazard[]
  readonly harmless: boolean
}

/** Find puts its root before every name, so a name can never be taken for an option. */
const FOUND: ShellWord = { value: './{}', dynamic: false, variables: undefined, found: true }
/** Names that xargs reads could be anything, options too. */
const READ: ShellWord = { value: '{}', dynamic: true, variables: undefined, found: true }

/** Undefined when the command runs nothing but itself; `ok: false` when what it runs cannot be known. */
export function unwrap(command: SimpleCommand): InnerCommands | { readonly unknown: string } | undefined {
  const [name, ...args] = command.words
  if (!name || name.dynamic) return undefined
  switch (name.value) {
    case 'env':
      return args.length === 0 ? undefined : unwrapEnv(command, args)
    case 'nice':
    case 'ionice':
    case 'stdbuf':
    case 'setsid':
    case 'nohup':
    case 'chronic':
      return inner(
        command,
        skipOptions(args, ['-n', '-c', '-i', '-o', '-e']),
        name.value !== 'setsid' && name.value !== 'nohup',
      )
    case 'timeout':
      return inner(command, skipOptions(args, ['-s', '-k', '--signal', '--kill-after']).slice(1), true)
    case 'time':
      return inner(command, skipOptions(args, ['-f', '-o']), !args.some(arg => arg.value.startsWith('-')))
    case 'command':
    case 'builtin':
      return args[0]?.value.startsWith('-') ? undefined : inner(command, args, true)
    case 'exec':
    case 'sudo':
    case 'doas':
    case 'su':
    case 'chroot':
    case 'unshare':
    case 'strace':
    case 'watch':
    case 'parallel':
    case 'flock':
    case 'script':
      return inner(command, skipOptions(args, ['-u', '-g', '-n', '-E', '-a', '-e']), false)
    case 'xargs':
      return unwrapXargs(command, args)
    case 'find':
    case 'fd':
      return unwrapFind(command, args)
    case 'sh':
    case 'bash':
    case 'zsh':
    case 'dash':
    case 'ksh':
      return unwrapShell(command, args)
    case 'eval':
      return args.some(arg => arg.dynamic)
        ? { unknown: 'eval' }
        : script(args.map(arg => arg.value).join(' '), command)
    default:
      return undefined
  }
}

function inner(
  command: SimpleCommand,
  words: readonly ShellWord[],
  harmless: boolean,
): InnerCommands | undefined {
  if (words.length === 0) return undefined
  return { commands: [{ ...command, words, text: textOf(words) }], harmless }
}

const textOf = (words: readonly ShellWord[]): string => words.map(word => word.value).join(' ')

/** Drops leading options; those in `valued` take the next word with them. */
function skipOptions(args: readonly ShellWord[], valued: readonly string[]): readonly ShellWord[] {
  let i = 0
  while (i < args.length && args[i]?.value.startsWith('-')) {
    if (args[i]?.value === '--') return args.slice(i + 1)
    i += valued.includes(args[i]?.value ?? '') ? 2 : 1
  }
  return args.slice(i)
}

function unwrapEnv(
  command: SimpleCommand,
  args: readonly ShellWord[],
): InnerCommands | { readonly unknown: string } | undefined {
  if (args.some(arg => /^(-S|--split-string)/.test(arg.value))) return { unknown: 'env -S' }
  const rest = skipOptions(args, ['-u', '--unset', '-C', '--chdir'])
  const harmless = !args.some(arg => /^(-C|--chdir)/.test(arg.value))
  const at = rest.findIndex(arg => !/^[A-Za-z_]\w*=/.test(arg.value))
  if (at === -1) return undefined
  const assignments = rest.slice(0, at).map(arg => arg.value.split('=', 1)[0] ?? '')
  const words = rest.slice(at)
  return {
    commands: [
      { ...command, words, text: textOf(words), assignments: [...command.assignments, ...assignments] },
    ],
    harmless,
  }
}

function unwrapXargs(command: SimpleCommand, args: readonly ShellWord[]): InnerCommands {
  const valued = [
    '-I',
    '-n',
    '-P',
    '-L',
    '-d',
    '-s',
    '-E',
    '-a',
    '--max-args',
    '--max-procs',
    '--replace',
    '--delimiter',
  ]
  const words = skipOptions(args, valued)
  const ran = words.length > 0 ? words : [{ value: 'echo', dynamic: false, variables: undefined }]
  const readsFile = args.slice(0, args.length - words.length).some(arg => /^(-a|--arg-file)/.test(arg.value))
  return { commands: [{ ...command, words: [...ran, READ], text: textOf(ran) }], harmless: !readsFile }
}

/** The command of each -exec; the rest of the line is judged as find itself, without them. */
function unwrapFind(command: SimpleCommand, args: readonly ShellWord[]): InnerCommands | undefined {
  const ran: SimpleCommand[] = []
  const rest: ShellWord[] = []
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]
    if (!arg) continue
    if (!/^-(exec|execdir|ok|okdir|x|X|-exec|-exec-batch)$/.test(arg.value)) {
      rest.push(arg)
      continue
    }
    const end = args.findIndex((word, j) => j > i && (word.value === ';' || word.value === '+'))
    const stop = end === -1 ? args.length : end
    const words = args
      .slice(i + 1, stop)
      .map(word => (word.value.includes('{}') ? { ...FOUND, dynamic: word.value !== '{}' } : word))
    ran.push({ ...command, words, text: textOf(words) })
    i = stop
  }
  if (ran.length === 0) return undefined
  const words = [...command.words.slice(0, 1), ...rest]
  return { commands: [{ ...command, words, text: textOf(words) }, ...ran], harmless: true }
}

function unwrapShell(
  command: SimpleCommand,
  args: readonly ShellWord[],
): InnerCommands | { readonly unknown: string } | undefined {
  const at = args.findIndex(arg => /^-[a-z]*c$/.test(arg.value))
  if (at === -1) return undefined
  const text = args[at + 1]
  if (!text || text.dynamic) return { unknown: 'a shell with a script that is put together at run time' }
  return script(text.value, command)
}

/** `outer` runs the script, so its redirections apply to it. */
function script(source: string, outer: SimpleCommand): InnerCommands | { readonly unknown: string } {
  const parsed: ParsedCommand = parseCommand(source)
  if (!parsed.ok) return { unknown: parsed.reason }
  const redirects = [...parsed.redirects, ...outer.redirects]
  const around: SimpleCommand[] =
    redirects.length > 0 ? [{ words: [], assignments: [], redirects, text: source }] : []
  return { commands: [...parsed.commands, ...around], hazards: parsed.hazards, harmless: true }
}
