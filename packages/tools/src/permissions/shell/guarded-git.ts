/** Git commands that may print or copy any file of the repository. An allow-list: all others may. */
import type { ShellWord } from './parse-command.ts'

/** These print no content, whatever their options. */
const PRINTS_NAMES = new Set(
  'status add rm mv commit ls-files ls-tree rev-parse rev-list describe shortlog merge rebase cherry-pick revert reset checkout switch restore clean init config version blame annotate merge-base for-each-ref check-ignore check-attr show-ref count-objects symbolic-ref --version'.split(
    ' ',
  ),
)
/** These print content only with an option for it. */
const NAMES_BY_DEFAULT = new Set(['log', 'stash', 'reflog'])
const PRINTS_CONTENT = new Set(['show', 'diff', 'log', 'stash', 'diff-tree', 'diff-index', 'diff-files'])
/** Options that show no content of files. */
const SUMMARY = /^--(stat|shortstat|numstat|name-only|name-status|summary|dirstat)$/
const HARMLESS =
  /^(--(oneline|stat|shortstat|numstat|name-only|name-status|summary|dirstat|cached|staged|all|graph|decorate|no-color|no-merges|merges|reverse|abbrev-commit|tags|branches|remotes|follow|no-pager|first-parent|include-untracked|date-order|topo-order|no-patch)|--(since|until|after|before|author|committer|grep|max-count|skip|format|pretty|date|abbrev)=.*|-n|-\d+|-n\d+|-s|--)$/

/** Of these, the option `-v` prints no content. */
const PRINTS_MORE_NAMES = new Set(['branch', 'remote', 'tag', 'push', 'pull', 'fetch'])

/** `isKept` says of a path that no guarded file is there or below it. */
export function mayPrintAny(args: readonly ShellWord[], isKept: (path: string) => boolean): boolean {
  const values = args.map(({ value }) => value)
  const [sub = '', ...rest] = values[0] === '--no-pager' ? values.slice(1) : values
  const options = rest.filter(value => value.startsWith('-'))
  if (PRINTS_MORE_NAMES.has(sub)) return false
  if (PRINTS_NAMES.has(sub))
    return options.some(value => /^-[a-z]*[pvi]|^--(patch|verbose|interactive)/.test(value))
  if (!PRINTS_CONTENT.has(sub) && !NAMES_BY_DEFAULT.has(sub)) return true
  const isSummary = options.every(value => HARMLESS.test(value)) && !(sub === 'stash' && rest[0] === 'show')
  if (isSummary && (NAMES_BY_DEFAULT.has(sub) || options.some(value => SUMMARY.test(value)))) return false
  return !isLimited(sub, rest, isKept)
}

/** True if it prints only files that it names: after `--`, or as `commit:./path`. */
function isLimited(sub: string, rest: readonly string[], isKept: (path: string) => boolean): boolean {
  const at = rest.indexOf('--')
  const isPlain = (path: string): boolean => path !== '' && !/^:|[*?[\\]/.test(path) && isKept(path)
  if (at !== -1 && at < rest.length - 1) return rest.slice(at + 1).every(isPlain)
  if (sub !== 'show') return false
  // Without `./` the path starts at the top of the repository, wherever that is.
  const shown = rest.filter(value => !value.startsWith('-')).map(value => /^[^:]+:(\.\/.+)$/.exec(value)?.[1])
  return shown.length > 0 && shown.every(path => path !== undefined && isPlain(path))
}
