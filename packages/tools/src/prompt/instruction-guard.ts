/** Decides if a file may be loaded into a prompt unasked. Authors of a project choose the paths, so the rules of Read apply to them. */
import type { PromptRequest } from '@toolwire/core'
import type { ExplainRequest } from '../explain-call.ts'
import { canonicalPath, isInside } from '../files/resolve-path.ts'
import type { PermissionExplanation } from '../permissions/explain-permission.ts'

export interface InstructionRules {
  /** Directories whose files no session sees, such as the data of the server. Canonical paths. */
  readonly hidden?: readonly string[]
  /** The verdict on a call of Read. */
  readonly explain?: (request: ExplainRequest) => Promise<PermissionExplanation>
}

/** Asked about an absolute path, as it is written and where it leads. */
export type MayLoad = (path: string) => Promise<boolean>

/**
 * False for hidden files, and for those that a rule denies or asks about. Files above the working directory need no
 * question: the project begins there.
 */
export function createInstructionGuard(
  { session_id, session }: Pick<PromptRequest, 'session_id' | 'session'>,
  { hidden = [], explain }: InstructionRules,
): MayLoad {
  const cwd = canonicalPath(session.created?.cwd ?? '.')
  // A working directory inside of one, such as the sample project, is in sight.
  const closed = hidden.filter(dir => !isInside(cwd, dir))
  return async path => {
    if (closed.some(dir => isInside(path, dir))) return false
    if (!explain) return true
    const request = { session_id, session, tool: 'Read', input: { file_path: path } }
    const { rule } = await explain(request).catch(() => ({ rule: { decision: 'deny' } }))
    return rule === undefined || rule.decision === 'allow'
  }
}
