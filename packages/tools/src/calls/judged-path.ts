/**
 * The path that a call was allowed for goes with it to its tool: links may have changed since it was judged, or since a
 * person approved it, and what they lead to now was allowed by no one.
 */
import type { CallState } from '@toolwire/core'
import type { VerdictBasis } from '../permissions/verdict.ts'
import type { CallWork } from './call-context.ts'

/** The call may use the path of the verdict, or the one that a person saw, and leaves out what rules withhold. */
export function bindPath(work: CallWork, { subject, withheld }: VerdictBasis): CallWork {
  const judged = approvedPath(work.call) ?? (subject?.type === 'path' ? subject.path : undefined)
  const bound = {
    ...(judged === undefined ? {} : { judged }),
    ...(withheld === undefined ? {} : { withheld }),
  }
  return { ...work, context: { ...work.context, ...bound } }
}

/** Undefined when the arguments were edited: then they are judged like new ones. */
function approvedPath({ approval }: CallState): string | undefined {
  if (approval?.decision !== 'approved' || approval.edited_input_text !== undefined) return undefined
  const { path } = (approval.details ?? {}) as { readonly path?: unknown }
  return typeof path === 'string' ? path : undefined
}
