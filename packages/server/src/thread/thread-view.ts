/** A thread for a page that comes back to it: whether it waits, and for what. */
import { type Facts, type PendingItem, pendingOf, type SessionRow, statusOf, threadNo } from '@toolwire/core'
import { toArguments } from '@toolwire/wire'

export function toThreadView(row: SessionRow, facts: Facts) {
  const pending = pendingOf(facts)
  const of = (kind: PendingItem['kind']) =>
    pending
      .filter(item => item.kind === kind)
      .map(item => ({
        call_id: item.call_id,
        ...(item.kind === 'client_tool' ? {} : { approval_id: item.id }),
        name: item.name,
        arguments: toArguments(item.input_text),
        ...(item.message === undefined ? {} : { message: item.message }),
      }))
  return {
    thread_id: threadNo(row.id),
    session_id: row.id,
    conversation_id: facts.conversation_id ?? null,
    title: facts.session?.title ?? row.title,
    status: statusOf(facts),
    pending_tools: of('client_tool'),
    pending_approvals: of('approval'),
    pending_questions: of('question'),
  }
}
