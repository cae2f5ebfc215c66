/**
 * Base directories for the path patterns of rules in a request: every spelling of its workspace, and of the
 * session's.
 */
import type { PathLooks } from './path-pattern.ts'
import type { PermissionRequest } from './permission-request.ts'

export function rulePlaces({
  workspace,
  rule_bases = [],
  realPath,
  ignoresCase = () => false,
}: Pick<PermissionRequest, 'workspace' | 'rule_bases' | 'realPath' | 'ignoresCase'>): PathLooks {
  const spellings = (dirs: readonly string[]): readonly string[] => [
    ...new Set([...dirs, ...dirs.map(realPath)]),
  ]
  return { workspaces: spellings([workspace]), outer: spellings(rule_bases), realPath, ignoresCase }
}
