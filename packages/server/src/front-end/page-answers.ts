/** Answers that a page claims to have for open calls: those that the log waits for are recorded, the others mean nothing. */
import { AppError, type Facts, pendingOf } from '@toolwire/core'
import type { JoinedMessage, PageAnswers } from '@toolwire/wire'
import type { ServerContext } from '../context.ts'
import { submitAnswers } from '../sessions/submit-answers.ts'

/** The claims about what waits now. Outputs count for client tools alone, decisions for approvals and questions. */
export function openAnswers(facts: Facts, { outputs, approvals }: PageAnswers): PageAnswers {
  const pending = pendingOf(facts)
  const isOpen = (id: string, isClient: boolean): boolean =>
    pending.some(item => item.id === id && (item.kind === 'client_tool') === isClient)
  return {
    outputs: distinct(
      outputs.filter(({ call_id }) => isOpen(call_id, true)),
      one => one.call_id,
    ),
    approvals: distinct(
      approvals.filter(({ approval_id }) => isOpen(approval_id, false)),
      one => one.approval_id,
    ),
  }
}

/** The last claim about each item. */
const distinct = <T>(items: readonly T[], idOf: (item: T) => string): readonly T[] => [
  ...new Map(items.map(item => [idOf(item), item])).values(),
]

/** Records them, with `joined` for the model to read behind them. An answer that came second changes nothing. */
export async function recordPageAnswers(
  context: ServerContext,
  session: string,
  answers: PageAnswers,
  { protocol, joined }: { readonly protocol: string; readonly joined?: readonly JoinedMessage[] },
): Promise<void> {
  if (answers.outputs.length + answers.approvals.length === 0) return
  const words = joined && joined.length > 0 ? { joined } : {}
  try {
    await submitAnswers(context, session, { ...answers, ...words, protocol })
  } catch (error) {
    if (!AppError.is(error) || !LOST.has(error.code)) throw error
  }
}

/** Another tab was first: its answer is in the log. */
const LOST: ReadonlySet<string> = new Set([
  'already_answered',
  'expired',
  'approval_not_found',
  'unknown_call',
])
