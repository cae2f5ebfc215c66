/** The rule that the server offers with a question. */
import type { ApprovalView } from '../../view.ts'

/** Undefined when none would be narrow enough. */
export function suggestedRule({ details }: ApprovalView): string | undefined {
  if (typeof details !== 'object' || details === null || !('suggested_rule' in details)) return undefined
  return typeof details.suggested_rule === 'string' ? details.suggested_rule : undefined
}
