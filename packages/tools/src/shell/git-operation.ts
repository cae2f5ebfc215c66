/** The git operation of a command line, for a quick overview. Judged by its words and its output; pure. */
import { parseCommand } from '../permissions/shell/parse-command.ts'

export interface GitOperation {
  readonly operation:
    | 'commit'
    | 'push'
    | 'merge'
    | 'rebase'
    | 'cherry-pick'
    | 'revert'
    | 'tag'
    | 'pr_create'
    | 'pr_merge'
  readonly branch?: string
  /** Abbreviated, as git prints it. */
  readonly commit?: string
  readonly url?: string
}

const GIT = new Set(['commit', 'push', 'merge', 'rebase', 'cherry-pick', 'revert', 'tag'])
/** Options before the subcommand that take a value. */
const VALUED = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path'])

/** The last such operation of the line; undefined without one. Only for lines that succeeded. */
export function gitOperation(command: string, output: string): GitOperation | undefined {
  const parsed = parseCommand(command)
  if (!parsed.ok) return undefined
  const operation = parsed.commands
    .map(({ words }) => operationOf(words.map(word => word.value)))
    .findLast(one => one !== undefined)
  if (operation === undefined) return undefined
  // git commit says: [branch abc1234] subject
  const made = /^\[([^\s\]]+)(?: \([^)\n]*\))? ([0-9a-f]{7,40})\]/m.exec(output)
  const url = /https?:\/\/[^\s"'<>]+/.exec(output)?.[0]
  return {
    operation,
    ...(made?.[1] && made[2] ? { branch: made[1], commit: made[2] } : {}),
    ...(url !== undefined && /^(push|pr_)/.test(operation) ? { url } : {}),
  }
}

function operationOf(words: readonly string[]): GitOperation['operation'] | undefined {
  const [program, ...rest] = words
  if (program === 'gh' && rest[0] === 'pr' && (rest[1] === 'create' || rest[1] === 'merge'))
    return `pr_${rest[1]}`
  if (program !== 'git' || rest.includes('--dry-run') || rest.includes('--help')) return undefined
  const at = rest.findIndex((word, i) => !word.startsWith('-') && !VALUED.has(rest[i - 1] ?? ''))
  const name = rest[at] ?? ''
  if (!GIT.has(name) || (name === 'tag' && at === rest.length - 1)) return undefined
  return name as GitOperation['operation']
}
