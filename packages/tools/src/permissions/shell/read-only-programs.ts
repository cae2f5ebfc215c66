/**
 * Programs that only look, with the options that would make them do more. An allow-list:
 * what is not here is not read-only. Each entry judges the arguments after the program's name.
 */
import { hasFlag, positionals } from './flags.ts'
import { isReadOnlyGit } from './git.ts'
import { isReadOnlyAwk, isReadOnlySed } from './scripts.ts'

export interface ReadOnlyProgram {
  /** Arguments are literal text. */
  readonly allows: (args: readonly string[]) => boolean
  /** Words that only exist when it runs could switch on nothing worse. */
  readonly dynamic: boolean
  /** Arguments that name files: all of them, none, or all after the first (a pattern or script). */
  readonly paths: 'all' | 'none' | 'rest'
}

type Paths = ReadOnlyProgram['paths']
const any = (paths: Paths): ReadOnlyProgram => ({ allows: () => true, dynamic: true, paths })
const without = (flags: readonly string[], paths: Paths = 'all'): ReadOnlyProgram => ({
  allows: args => !hasFlag(args, flags),
  dynamic: false,
  paths,
})
const when = (allows: (args: readonly string[]) => boolean, paths: Paths = 'all'): ReadOnlyProgram => ({
  allows,
  dynamic: false,
  paths,
})
const only = (...flags: string[]): ReadOnlyProgram =>
  when(args => args.length > 0 && args.every(arg => flags.includes(arg)), 'none')
const version = only('--version', '-v', '-V', 'version', '--help', '-h', 'help')
const subcommand = (...allowed: string[]): ReadOnlyProgram =>
  when(args => allowed.some(line => `${args.join(' ')} `.startsWith(`${line} `)), 'none')

const each = (names: string, program: ReadOnlyProgram): [string, ReadOnlyProgram][] =>
  names.split(' ').map(name => [name, program])

const FIND_WRITES = [
  '-delete',
  '-exec',
  '-execdir',
  '-ok',
  '-okdir',
  '-fprint',
  '-fprint0',
  '-fprintf',
  '-fls',
]

/** By name as it is typed; a path to a program is another program. */
export const READ_ONLY_PROGRAMS: ReadonlyMap<string, ReadOnlyProgram> = new Map([
  ...each(
    'cat head tail wc ls nl tac rev cut paste join comm fold expand unexpand od hexdump strings',
    any('all'),
  ),
  ...each(
    'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum stat du df diff3 cmp',
    any('all'),
  ),
  ...each('realpath readlink tsort zcat bzcat xzcat zgrep look dir vdir size nm', any('all')),
  ...each(
    'echo printf true false : pwd whoami id groups uname arch nproc uptime free printenv tty',
    any('none'),
  ),
  ...each(
    'basename dirname seq sleep cal test [ type locale getconf lscpu logname users who w vmstat',
    any('none'),
  ),
  ...each('tr factor expr numfmt which whereis hostid lsb_release', any('none')),
  ...each('ps pgrep lsof lsmod jobs times ulimit umask wait break continue return exit shift', any('none')),
  // `printf -v` assigns a variable, which could be PATH.
  ['printf', { allows: args => !args[0]?.startsWith('-v'), dynamic: true, paths: 'none' }],
  ['pgrep', without(['--signal'], 'none')],
  ['ulimit', when(args => args.length === 0 || args.every(arg => /^-[aHSnu]+$/.test(arg)), 'none')],
  ['umask', when(args => args.every(arg => arg === '-S' || arg === '-p'), 'none')],
  ['date', without(['-s', '--set'], 'none')],
  ['hostname', when(args => args.every(arg => /^-[sfdiIA]$/.test(arg)), 'none')],
  ['file', without(['-C', '--compile'])],
  ['diff', without(['--output', '-o'])],
  ...each('grep egrep fgrep', { ...any('rest'), dynamic: true }),
  ['rg', { ...without(['--pre', '--hostname-bin', '--search-zip', '-z'], 'rest') }],
  ['ag', without(['--pager'], 'rest')],
  ['find', without(FIND_WRITES)],
  ['fd', without(['-x', '-X', '--exec', '--exec-batch'], 'rest')],
  ['tree', without(['-o', '-R'])],
  ['sort', without(['-o', '--output', '--compress-program', '-T', '--temporary-directory'])],
  ['uniq', when(args => positionals(args, ['-f', '-s', '-w', '-n']).length <= 1)],
  ['xxd', when(args => !hasFlag(args, ['-r']) && positionals(args, ['-l', '-s', '-c', '-g']).length <= 1)],
  ['column', any('all')],
  ['jq', without(['-f', '--from-file', '-L'], 'rest')],
  ['yq', without(['-i', '--inplace', '-s', '--split-exp'], 'rest')],
  ['sed', when(isReadOnlySed, 'rest')],
  ['awk', when(isReadOnlyAwk, 'rest')],
  ['gawk', when(isReadOnlyAwk, 'rest')],
  ['mawk', when(isReadOnlyAwk, 'rest')],
  ['tar', when(args => isTarListing(args))],
  ['unzip', when(args => /^-[lvZt]+$/.test(args[0] ?? ''))],
  ['zipinfo', any('all')],
  ['gzip', when(args => args.length > 0 && /^-[ltv]+$/.test(args[0] ?? ''))],
  ['xmllint', when(args => !hasFlag(args, ['--output', '-o', '--shell', '--save']))],
  ['ss', without(['-K', '--kill', '-D', '--diag'], 'none')],
  ['env', when(args => args.length === 0, 'none')],
  ['command', when(args => /^-[vV]$/.test(args[0] ?? ''), 'none')],
  // Words that are no paths name files that do not exist, inside the workspace.
  ['git', when(isReadOnlyGit)],
  ...each(
    'bash sh zsh python python3 ruby perl php deno bun tsc rustc gcc g++ clang make cmake java javac',
    version,
  ),
  ...each('pip pip3 uv poetry yarn pnpm npx kotlin swift dotnet', version),
  ['node', only('--version', '-v', '--help', '-h')],
  ['go', subcommand('version', 'env GOPATH', 'env GOROOT', 'list', 'help')],
  ['cargo', subcommand('--version', '-V', 'version', 'help', 'tree', 'metadata --no-deps')],
  ['npm', subcommand('--version', '-v', 'ls', 'list', 'root', 'prefix', 'help', 'pkg get')],
  [
    'docker',
    subcommand('ps', 'images', 'version', '--version', 'info', 'logs', 'inspect', 'top', 'stats --no-stream'),
  ],
  ['kubectl', subcommand('get', 'describe', 'logs', 'version', 'top', 'api-resources', 'cluster-info')],
  ['systemctl', subcommand('status', 'list-units', 'is-active', 'is-enabled', 'show')],
  ['ip', subcommand('addr', 'a', 'route', 'link show', 'addr show', 'route show')],
])

/** Only `t` with harmless companions; a long option could run a program. */
function isTarListing(args: readonly string[]): boolean {
  const [mode = '', ...rest] = args
  if (!/^-?[tvzjJaf]+$/.test(mode) || !mode.includes('t')) return false
  return rest.every(arg => !arg.startsWith('-'))
}
