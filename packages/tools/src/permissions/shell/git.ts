/** Read-only git commands. Options that write, or run a program, make any of them ask. */
import { hasFlag, positionals } from './flags.ts'

const RUNS_OR_WRITES = [
  '--output',
  '--ext-diff',
  '--textconv',
  '--exec',
  '--upload-pack',
  '--open-files-in-pager',
  '--filters',
]

type ArgumentJudge = (args: readonly string[]) => boolean
const always: ArgumentJudge = () => true
const listing =
  (...flags: readonly string[]): ArgumentJudge =>
  args =>
    args.every(arg => flags.includes(arg.split('=', 1)[0] ?? ''))
const first =
  (...words: readonly string[]): ArgumentJudge =>
  args =>
    words.includes(args[0] ?? '')

const LIST_FLAGS = [
  '-a',
  '-r',
  '-v',
  '-vv',
  '--all',
  '--remotes',
  '--list',
  '-l',
  '--show-current',
  '--no-color',
  '--color',
]
const BRANCH_FILTERS = [
  '--contains',
  '--no-contains',
  '--merged',
  '--no-merged',
  '--points-at',
  '--sort',
  '--format',
]

const SUBCOMMANDS: ReadonlyMap<string, ArgumentJudge> = new Map<string, ArgumentJudge>([
  ...[
    'status',
    'log',
    'diff',
    'show',
    'rev-parse',
    'rev-list',
    'ls-files',
    'ls-tree',
    'blame',
    'annotate',
  ].map(one),
  ...['describe', 'shortlog', 'for-each-ref', 'merge-base', 'name-rev', 'whatchanged', 'count-objects'].map(
    one,
  ),
  ...[
    'check-ignore',
    'check-attr',
    'version',
    'show-ref',
    'diff-tree',
    'diff-index',
    'diff-files',
    'cherry',
  ].map(one),
  ...['show-branch', 'verify-commit', 'range-diff', 'cat-file', 'var'].map(one),
  ['grep', args => !args.some(arg => arg.startsWith('-O'))],
  ['branch', args => isBranchListing(args)],
  [
    'tag',
    args =>
      args.length === 0 ||
      (hasFlag(args, ['-l', '--list', '-n']) &&
        !hasFlag(args, [
          '-d',
          '-a',
          '-s',
          '-f',
          '-m',
          '-F',
          '-u',
          '--delete',
          '--force',
          '--sign',
          '--annotate',
        ])),
  ],
  ['remote', args => args.length === 0 || listing('-v', '--verbose')(args) || first('get-url')(args)],
  ['reflog', args => args.length === 0 || first('show')(args) || (args[0] ?? '').startsWith('-')],
  ['stash', first('list', 'show')],
  ['worktree', first('list')],
  ['submodule', first('status', 'summary')],
  ['notes', first('list', 'show')],
  ['bisect', first('log', 'view')],
  ['config', args => isConfigReading(args)],
  ['symbolic-ref', args => positionals(args).length === 1 && !hasFlag(args, ['-d', '--delete', '-m'])],
  ['--version', always],
])

function one(name: string): [string, ArgumentJudge] {
  return [name, always]
}

/** `args` follow `git`. Options before the subcommand are refused unless known to be harmless. */
export function isReadOnlyGit(args: readonly string[]): boolean {
  let i = 0
  while (i < args.length && args[i]?.startsWith('-') && !SUBCOMMANDS.has(args[i] ?? '')) {
    if (args[i] === '--no-pager' || args[i] === '--no-optional-locks' || args[i] === '-P') i++
    else if (args[i] === '-C' && args[i + 1] !== undefined) i += 2
    else return false
  }
  const rest = args.slice(i + 1)
  const judge = SUBCOMMANDS.get(args[i] ?? '')
  return judge !== undefined && !hasFlag(rest, RUNS_OR_WRITES) && judge(rest)
}

function isBranchListing(args: readonly string[]): boolean {
  const flags = args.filter(arg => arg.startsWith('-')).map(arg => arg.split('=', 1)[0] ?? '')
  if (!flags.every(flag => LIST_FLAGS.includes(flag) || BRANCH_FILTERS.includes(flag))) return false
  const names = args.length - flags.length
  return (
    names === 0 || flags.some(flag => BRANCH_FILTERS.includes(flag) || flag === '--list' || flag === '-l')
  )
}

function isConfigReading(args: readonly string[]): boolean {
  const [verb = ''] = args
  if (['get', 'list', '--list', '-l', '--get', '--get-all', '--get-regexp', '--get-urlmatch'].includes(verb))
    return true
  const scoped = ['--global', '--local', '--system', '--show-origin', '--show-scope'].includes(verb)
  return scoped && args.length > 1 && isConfigReading(args.slice(1))
}
